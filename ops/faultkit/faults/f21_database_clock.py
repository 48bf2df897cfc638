"""The clock of PostgreSQL itself jumps: leases end or last for ever by it, and still nothing is sent
in a storm. A push is sent again only if it was in flight at the jump."""

import os
import time

from ..cluster import Cluster
from ..machine import FalseClock

TITLE = "clock of PostgreSQL: +1 h, -1 h, one day"
SMOKE, FULL = None, 4

JUMPS = [3600, -3600, 86400, 3600]


def play(stage, size):
    clock = FalseClock(os.path.join(stage.house.home, "clock-database"))
    stage.report.skipped = clock.missing
    if stage.report.skipped:
        return
    cluster = Cluster(stage.house.home, "clock")
    cluster.variables = clock.variables
    stage.house.clusters.append(cluster)
    cluster.make()
    stage.on_cluster(cluster)
    # By a jump forward an hour passes in a moment, for whoever waits meanwhile.
    stage.allow.outcomes = ("accepted", "expired")
    stage.allow.true_clock = False
    # A lease may end by a jump at once.
    stage.allow.long_lease = 0.05
    stage.open(workers=2)
    stage.simulator.script(delay=0.5)
    stage.allow.duplicates = 0
    most = 0
    with stage.load(rate=25):
        for number in range(size):
            jump = JUMPS[number % len(JUMPS)]
            stage.pause(1, 2)
            for seconds in (jump, 0):
                most = max(most, leap(stage, clock, seconds))
                time.sleep(3)
            stage.injected()
    stage.simulator.clear()
    facts = stage.settle()
    expired = sum(row["outcome"] == "expired" for row in facts.deliveries)
    stage.require(expired <= stage.allow.duplicates,
                  f"{expired} pushes expired, and {stage.allow.duplicates} were waiting at jumps")
    stage.note(f"{most} pushes in flight at a jump at most, {expired} expired by one")
    for process in stage.workers + [stage.api]:
        process.kill()


def leap(stage, clock, seconds):
    """Sets the clock; every lease that stands until all have read it may end by it."""
    clock.set(seconds)
    seen = set()
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        seen.update(row["id"] for row in stage.cluster.rows(
            "select id from sineta.jobs where kind = 'push.deliver'"
            f" and store_id = '{stage.store}'"))
        time.sleep(0.05)
    stage.allow.duplicates += len(seen)
    return len(seen)
