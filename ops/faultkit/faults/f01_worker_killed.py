"""A worker dies at a random time; its jobs go to another within the lease."""

import time

from ..http import until

TITLE = "SIGKILL of a worker at a random time"
# Each fifth waits for the takeover; in the full set, where it takes the product's own lease of 30 s,
# each tenth.
SMOKE, FULL = 6, 60


def play(stage, size):
    stage.open()
    # Answers take a moment, so that pushes are in flight when the worker dies.
    stage.simulator.script(delay=0.3)
    worst = 0.0
    every = 10 if stage.house.is_full else 5
    with stage.load(rate=25):
        for number in range(size):
            stage.pause(0.5, 1.5)
            stage.workers[-1].kill()
            stage.injected()
            worst = max(worst, takeover(stage, stage.start_worker, waits=number % every == 0))
    stage.note(f"takeover after {worst:.1f} s at most, lease {stage.lease_seconds():.0f} s")
    stage.settle()


def takeover(stage, start, waits=True):
    """Starts another worker beside the one that died just now; how long until it had all its jobs."""
    killed_at = time.time()
    orphans = stage.in_flight()
    start()
    held = {each["id"]: each["lease_id"] for each in orphans}
    if not held or not waits:
        return 0.0
    names = ", ".join(f"'{id}'" for id in held)
    sql = f"select id, lease_id from sineta.jobs where id in ({names})"

    def taken_over():
        # A job that is given back on the way has been taken over too.
        return all(row["lease_id"] != held[row["id"]] for row in stage.cluster.rows(sql))

    done = until(taken_over, stage.lease_seconds() + 15)
    took = time.time() - killed_at
    # The smoke set runs on machines that other work may slow.
    grace = 5 if stage.house.is_full else 10
    stage.require(done and took <= stage.lease_seconds() + grace,
                  f"G5: jobs of a dead worker were taken over after {took:.1f} s")
    return took
