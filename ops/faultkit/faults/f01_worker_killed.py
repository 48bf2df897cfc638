"""A worker dies at a random time; its jobs go to another within the lease."""

import time

from ..http import until

TITLE = "SIGKILL of a worker at a random time"
SMOKE, FULL = 3, 200


def play(stage, size):
    stage.open()
    # Answers take a moment, so that pushes are in flight when the worker dies.
    stage.simulator.script(delay=0.3)
    worst = 0.0
    with stage.load(rate=25):
        for _ in range(size):
            stage.pause(0.5, 1.5)
            stage.workers[-1].kill()
            orphans = stage.in_flight()
            killed_at = time.time()
            stage.allow.duplicates += len(orphans)
            stage.start_worker()
            stage.injected()
            held = {each["id"]: each["lease_id"] for each in orphans}
            if not held:
                continue
            names = ", ".join(f"'{id}'" for id in held)
            sql = f"select id, lease_id from sineta.jobs where id in ({names})"

            def taken_over():
                now = stage.cluster.rows(sql)
                return all(row["lease_id"] != held[row["id"]] for row in now)

            done = until(taken_over, stage.lease_seconds() + 15)
            took = time.time() - killed_at
            worst = max(worst, took)
            stage.require(done and took <= stage.lease_seconds() + 5,
                          f"G5: jobs of a dead worker were taken over after {took:.1f} s")
    stage.note(f"takeover after {worst:.1f} s at most, lease {stage.lease_seconds():.0f} s")
    stage.settle()
