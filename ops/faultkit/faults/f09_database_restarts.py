"""PostgreSQL restarts, or one of its processes is killed: 503 at once, and all goes on by itself."""

TITLE = "PostgreSQL restarts fast and immediate; SIGKILL of one backend"
SMOKE, FULL = 3, 30


def play(stage, size):
    stage.open()
    slowest = 0.0
    with stage.load(rate=25):
        for number in range(size):
            stage.pause(0.8, 1.5)
            if number % 3 == 2:
                back_at = stage.cluster.kill_backend(stage.random)
            else:
                back_at = stage.cluster.restart(
                    "fast" if number % 3 == 0 else "immediate", pause=stage.random.uniform(0, 2))
            took = stage.resumed(back_at)
            slowest = max(slowest, took)
            stage.require(took <= 10, f"G12: it resumed after {took:.1f} s")
            stage.injected()
    stage.note(f"resumed {slowest:.1f} s after the server, slowest call {stage.ledger.slowest:.1f} s")
    # The smoke set runs on machines that other work may slow.
    limit = 6 if stage.house.is_full else 10
    stage.require(stage.ledger.slowest <= limit, f"G12: a call took {stage.ledger.slowest:.1f} s")
    stage.settle()
