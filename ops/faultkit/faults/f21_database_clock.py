"""The clock of PostgreSQL itself jumps: leases end by it or last for ever, waits and lives too, and
still nothing is sent in a storm, and nothing waits for a clock that came back. A push is sent again
only if it was in flight at a jump, and expires only if it was there when the clock went forward."""

import os
import time

from ..cluster import Cluster
from ..machine import FalseClock

TITLE = "clock of PostgreSQL: +1 h, -1 h, one day"
SMOKE, FULL = None, 4

JUMPS = [3600, -3600, 86400, 3600]
# The API reads the clock once a second: what it takes in until then is dated by the one of before.
READING = 1.5


def play(stage, size):
    clock = FalseClock(os.path.join(stage.house.home, "clock-database"))
    stage.report.skipped = clock.missing
    if stage.report.skipped:
        return
    cluster = Cluster(stage.house.home, "clock")
    # A machine's clock jumps for all its processes at once. Each would read a file's up to two
    # seconds later than another, and leases be taken by clocks that no server has side by side.
    cluster.variables = clock.variables | {"FAKETIME_NO_CACHE": "1"}
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
    there, forward, before, most = set(), [], 0, 0
    with stage.load(rate=25):
        for number in range(size):
            jump = JUMPS[number % len(JUMPS)]
            stage.pause(1, 2)
            for seconds in (jump, 0):
                alive, leased, start = leap(stage, clock, seconds, seconds < before)
                if seconds > before:
                    there |= alive
                    forward.append((start, start + READING))
                before = seconds
                most = max(most, len(leased))
                stage.allow.repeats.update(leased)
                # What is put off, and a breaker that opens, must not wait for the clock of then.
                fail(stage)
                stage.pause(2, 7)
            stage.injected()
    stage.simulator.clear()
    facts = stage.settle()
    # Its alerts live for an hour, and the run takes two minutes of it: what expires was dated before
    # the clock went forward and was not at its end. Either its event was still to be decided, or a
    # job of the push was there, or the call was under way until the API had read the clock.
    late = {event["alert_id"] for event in stage.ledger.accepted
            if event["event_id"] in there
            or any(event["posted_at"] <= end and event["acked_at"] >= start
                   for start, end in forward)}
    expired = [row for row in facts.deliveries if row["outcome"] == "expired"]
    wrong = [row["id"] for row in expired if row["id"] not in there and row["alert_id"] not in late]
    stage.require(not wrong, f"{len(wrong)} pushes expired that no jump took, as {wrong[:2]}")
    stage.note(f"{most} pushes in flight at a jump at most, {len(expired)} expired by one")
    for process in stage.workers + [stage.api]:
        process.kill()


def leap(stage, clock, seconds, kills):
    """Sets the clock; with `kills` a worker dies at that moment, whose leases then end in another
    time than they began in. What was there: pushes, and events that were not decided; and the pushes
    among them that were leased; and when the clock was set. It is looked at for a moment longer: a
    claim that was under way has its time from before."""
    there, leased = look(stage)
    clock.set(seconds)
    start = time.time()
    if kills:
        stage.workers.pop(0).kill()
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        more, held = look(stage)
        there |= more
        leased |= held
        time.sleep(0.05)
    if kills:
        stage.start_worker()
    return there, leased, start


def look(stage):
    rows = stage.cluster.rows(
        "select id, kind, subject, lease_id from sineta.jobs"
        f" where kind in ('push.deliver', 'alerts.decide') and store_id = '{stage.store}'")
    pushes = [row for row in rows if row["kind"] == "push.deliver"]
    there = {row["id"] for row in pushes}
    there |= {row["subject"] for row in rows if row["kind"] == "alerts.decide"}
    return there, {row["id"] for row in pushes if row["lease_id"]}


def fail(stage):
    """For a second APNs fails, which puts pushes off and opens the breaker; it is probed after five."""
    stage.simulator.clear()
    stage.simulator.script(provider="apns", status=503, reason="ServiceUnavailable")
    time.sleep(1)
    stage.simulator.clear()
    stage.simulator.script(delay=0.5)
