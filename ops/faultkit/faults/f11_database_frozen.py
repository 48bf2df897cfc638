"""PostgreSQL stands still for longer than a lease, then goes on: no call hangs, nothing is lost."""

import time

TITLE = "PostgreSQL frozen for 40 s, then resumed"
SMOKE, FULL = None, 3

FROZEN = 40


def play(stage, size):
    stage.open()
    # Answers take a moment, so that results find no database to be written to.
    stage.simulator.script(delay=0.3)
    slowest = 0.0
    with stage.load(rate=25, threads=8):
        for _ in range(size):
            stage.pause(2, 3)
            excuse(stage)
            with stage.cluster.frozen():
                time.sleep(FROZEN)
            back_at = time.time()
            excuse(stage)
            took = stage.resumed(back_at)
            slowest = max(slowest, took)
            stage.require(took <= 10, f"G12: it resumed after {took:.1f} s")
            stage.injected()
    stage.note(f"resumed {slowest:.1f} s after the server, slowest call {stage.ledger.slowest:.1f} s")
    stage.require(stage.ledger.slowest <= 6, f"G12: a call took {stage.ledger.slowest:.1f} s")
    stage.settle(seconds=120)


def excuse(stage):
    """What is leased now may be sent once more: its lease ends while nothing can be written."""
    for each in stage.in_flight():
        stage.allow.repeats[each["id"]] += 1
