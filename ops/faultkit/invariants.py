"""What must hold after every run, whatever was broken: I1 to I10."""

import json
import os
from collections import Counter, defaultdict


TABLES = {
    "events": "select external_id, id, reason from sineta.events",
    "alerts": "select id, decided_at, extract(epoch from expires_at) as expires from sineta.alerts",
    "jobs": "select id, kind, subject, target, attempts, losses from sineta.jobs",
    "dead": "select id, kind, subject, target, reason, attempts, losses, tries"
            " from sineta.jobs_dead",
    "deliveries": "select id, alert_id, device_id, outcome, reason, attempts, finished_at, tries"
                  " from sineta.deliveries",
    "audit": "select distinct act from sineta.audit",
}


class Facts:
    """The store's rows and the simulator's ledger at one moment."""

    def __init__(self, cluster, inbox, store):
        parts = ", ".join(
            f"'{name}', (select coalesce(jsonb_agg(q), '[]') from ({sql} where store_id = '{store}') q)"
            for name, sql in TABLES.items())
        # One statement: what ends meanwhile stands in one table and not in two, or none.
        rows = cluster.value(f"select jsonb_build_object({parts})")
        self.events = {row["external_id"]: row for row in rows["events"]}
        self.alerts = {row["id"]: row for row in rows["alerts"]}
        self.jobs, self.dead, self.deliveries = rows["jobs"], rows["dead"], rows["deliveries"]
        self.audit = {row["act"] for row in rows["audit"]}
        self.inbox = [each for each in inbox if each.store == store]


def unanswered_requests(house):
    """By job, how many requests the workers said to have got no answer."""
    counts = Counter()
    try:
        with open(os.path.join(house.home, "worker.log"), errors="replace") as file:
            lines = [line for line in file if '"push not accepted"' in line and '"status":0' in line]
    except FileNotFoundError:
        return counts
    for line in lines:
        try:
            counts[json.loads(line)["job"]] += 1
        except ValueError:
            # Cut off by a kill; its lease runs out.
            continue
    return counts


def repeats_excused(facts, stage):
    """How often each (alert, token) may have been accepted again: once for each request whose answer
    was lost, by the worker's own log (some are not counted as attempts: probes, and what comes in
    while lanes are closed), and once for each lease that a fault kept from ending well."""
    tokens = {device["id"]: device["token"] for device in stage.devices}
    long = stage.watch.held_long()
    logged = unanswered_requests(stage.house)
    excused = {}
    for row in facts.deliveries + facts.dead:
        alert, device = row.get("alert_id", row.get("subject")), row.get("device_id",
                                                                        row.get("target"))
        unanswered = sum(each["status"] is None for each in row["tries"] or [])
        unanswered = max(unanswered, logged[row["id"]])
        excused[alert, tokens.get(device)] = (
            long.get(row["id"], 0) + unanswered + stage.allow.repeats[row["id"]])
    return excused


def session_end(stage, answered_at):
    """From when on nothing may start: a second after the answer, and as long as the machine stood
    still around it."""
    return answered_at + 1 + stage.stall.longest(answered_at, answered_at + 2)


def check(facts, stage, ledger):
    """The broken invariants in words; what was allowed for stands in `stage.allow`."""
    broken = []
    allow = stage.allow

    def require(condition, name, words):
        if not condition:
            broken.append(f"{name}: {words}")

    acked = {key: event for key, event in ledger.events.items() if event["state"] == "ok"}
    lost = [key for key, event in acked.items()
            if facts.events.get(key, {}).get("id") != event["event_id"]]
    require(not lost, "I1", f"{len(lost)} acknowledged events are not there, as {lost[:3]}")
    undecided = [event["alert_id"] for event in acked.values()
                 if event["alert_id"] and event["alert_id"] not in facts.alerts]
    require(not undecided, "I1", f"{len(undecided)} alerts were never decided")

    pushes = defaultdict(list)
    for job in facts.jobs + facts.dead:
        if job["kind"] == "push.deliver":
            pushes[job["subject"], job["target"]].append(job["id"])
    for row in facts.deliveries:
        pushes[row["alert_id"], row["device_id"]].append(row["id"])
    twice = [pair for pair, ids in pushes.items() if len(ids) > 1]
    require(not twice, "I2", f"{len(twice)} (alert, device) have more than one job or end")
    if allow.every_device:
        missing = [(alert, device) for alert in facts.alerts for device in stage.device_ids
                   if (alert, device) not in pushes]
        require(not missing, "I2", f"{len(missing)} pushes have no job and no end")

    require(not facts.jobs, "I3", f"{len(facts.jobs)} jobs are not at their end")
    if not allow.dead:
        require(not facts.dead, "I3", f"{len(facts.dead)} dead letters: "
                f"{dict(Counter(each['reason'] for each in facts.dead))}")
    outcomes = Counter(row["outcome"] for row in facts.deliveries)
    other = {name: n for name, n in outcomes.items() if name not in allow.outcomes}
    require(not other, "I3", f"ends that this fault must not bring: {other}")
    most = max([row["attempts"] for row in facts.deliveries + facts.dead], default=0)
    require(most <= allow.attempts, "G7", f"a push counts {most} attempts")

    taken = Counter((each.alert, each.token) for each in facts.inbox if each.accepted)
    tokens = {device["id"]: device["token"] for device in stage.devices}
    unsent = [row for row in facts.deliveries if row["outcome"] == "accepted"
              and not taken[row["alert_id"], tokens.get(row["device_id"])]]
    require(not unsent, "I4", f"{len(unsent)} ended accepted, and no provider took them")
    surplus = sum(count - 1 for count in taken.values())
    if allow.duplicates is not None:
        require(surplus <= allow.duplicates, "I4", f"{surplus} duplicates, and only"
                f" {allow.duplicates} pushes were in flight at faults")
    excused = repeats_excused(facts, stage)
    unexcused = [pair for pair, count in taken.items() if count - 1 > excused.get(pair, 0)]
    require(not unexcused, "I4", f"{len(unexcused)} pushes were repeated that no fault had in"
            f" flight, as {unexcused[:2]}")
    names = defaultdict(set)
    for each in facts.inbox:
        names[each.alert, each.token].add(each.identity)
    require(all(len(each) == 1 for each in names.values()), "I4",
            "a push went out under two identities")

    if stage.logouts:
        late = [each for each in facts.inbox if each.token in stage.logouts
                and each.at > session_end(stage, stage.logouts[each.token])]
        require(not late, "I5", f"{len(late)} sends started more than 1 s after a session's end")

    strangers = [each for each in facts.inbox
                 if each.alert not in facts.alerts or each.token not in stage.tokens_ever
                 or each.topic not in (None, stage.house.topic)]
    require(not strangers, "I6", f"{len(strangers)} pushes with a foreign alert, device or topic")
    # Of a database whose clock jumps the fault itself says what is late.
    expiry = {alert: row["expires"] for alert, row in facts.alerts.items() if allow.true_clock}
    late = [each for each in facts.inbox if each.at > expiry.get(each.alert, each.at) + 0.5]
    require(not late, "I7", f"{len(late)} sends started after their life")

    unresolved = [key for key, event in ledger.events.items()
                  if event["state"] in ("unknown", "pending")]
    require(not unresolved, "I8", f"{len(unresolved)} calls were never answered")
    refused = [event["state"] for event in ledger.events.values()
               if event["state"].startswith("failed")]
    require(not refused, "I8", f"answers that no fault excuses: {dict(Counter(refused))}")
    ids = [event["event_id"] for event in acked.values()]
    require(len(set(ids)) == len(ids), "I8", "two keys had one effect")

    before = stage.ended_before
    changed = [row["id"] for row in facts.deliveries
               if row["id"] in before and row != before[row["id"]]]
    gone = set(before) - {row["id"] for row in facts.deliveries}
    require(not changed and not gone, "I9", f"{len(changed) + len(gone)} ends were changed")

    unseen = {"store.created", "api_token.created"} - facts.audit
    require(not unseen, "I10", f"privileged acts without an audit row: {sorted(unseen)}")
    require(ledger.slowest <= allow.slowest, "G12", f"a call took {ledger.slowest:.1f} s")
    require(ledger.slow_retry_after == 0, "G12", "a 503 without Retry-After of 5 s at most")
    return broken, surplus
