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
    # A lease may end by a jump at once: the fault counts those, and no other is excused by its age.
    stage.allow.long_lease = float("inf")
    stage.open(workers=2)
    stage.simulator.script(delay=0.5)
    waiting, windows, most = set(), [], 0
    with stage.load(rate=25):
        for number in range(size):
            jump = JUMPS[number % len(JUMPS)]
            stage.pause(1, 2)
            for seconds in (jump, 0):
                start = time.time()
                alive, leased = leap(stage, clock, seconds)
                waiting |= alive
                windows.append((start - 1, time.time()))
                most = max(most, len(leased))
                stage.allow.repeats.update(leased)
                # What is put off, and a breaker that opens, must not wait for the clock of then. A
                # jump of an hour no claim can tell from a long wait (decision record 13).
                if jump > 7200:
                    fail(stage, 6)
                time.sleep(3)
            stage.injected()
    stage.simulator.clear()
    facts = stage.settle()
    # The API reads the clock once a second: what it took in meanwhile was dated by the old one.
    late = {event["alert_id"] for event in stage.ledger.accepted
            if any(start <= event["posted_at"] <= end for start, end in windows)}
    expired = {row["id"] for row in facts.deliveries if row["outcome"] == "expired"}
    waiting |= {row["id"] for row in facts.deliveries if row["alert_id"] in late}
    stage.require(expired <= waiting,
                  f"{len(expired - waiting)} pushes expired that no jump took")
    stage.note(f"{most} pushes in flight at a jump at most, {len(expired)} expired by one")
    for process in stage.workers + [stage.api]:
        process.kill()


def leap(stage, clock, seconds):
    """Sets the clock. Until all have read it pushes may expire by it, and leases end: the jobs that
    were alive in that time, and those of them that were leased."""
    clock.set(seconds)
    alive, leased = set(), set()
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        for row in stage.cluster.rows(
                "select id, lease_id from sineta.jobs where kind = 'push.deliver'"
                f" and store_id = '{stage.store}'"):
            alive.add(row["id"])
            if row["lease_id"]:
                leased.add(row["id"])
        time.sleep(0.05)
    return alive, leased


def fail(stage, count):
    """The next requests fail, which puts their pushes off, and may open the breaker."""
    stage.simulator.clear()
    stage.simulator.script(provider="apns", next=count, status=503, reason="ServiceUnavailable")
    stage.simulator.script(delay=0.5)
