"""One store floods the queue; another store's pushes take less than twice their time: decision
record 17."""

import multiprocessing
import time

from ..http import Client
from ..ledger import Ledger

TITLE = "one store floods: another store's pushes keep their time"
# Pushes of the flood.
SMOKE, FULL = None, 100_000

DEVICES = 10
# The other store's events a second, and seconds before the flood: enough for a p95.
RATE, BEFORE = 10, 30


def play(stage, size):
    stage.open()
    # The flood's requests would push the other store's out of what is fetched, and of what is kept.
    stage.tokens_alone = True
    # Nothing is lost here, and looking at so many leases ten times a second is a load.
    stage.watch.every = 0.8
    flood = flooding_store(stage)
    # As far away as a provider is.
    stage.simulator.script(delay=0.02)
    with stage.load(rate=RATE, threads=2):
        # The first calls meet cold caches, which is neither before nor during.
        time.sleep(3)
        start = time.time()
        # Looking is a load of its own, and the same before the flood as in it.
        while time.time() < start + BEFORE:
            look(stage)
        split = time.time()
        waiting, end = watch(stage, flood, size)
    stage.injected()
    stage.require(end - split > 5, "the flood was over before it mattered")
    events = [event for event in stage.ledger.accepted if event["posted_at"] >= start]
    before = [event for event in events if event["posted_at"] < split]
    during = [event for event in events if split <= event["posted_at"] < end]
    stage.require(min(len(before), len(during)) >= 100, "too few events for a p95")
    rows = moments(stage)
    calm, wet = latency(before, rows), latency(during, rows)
    stage.require(wet["all"] <= 2 * calm["all"] and wet["all"] <= 2,
                  f"G10: p95 went from {calm['all']:.3f} s to {wet['all']:.3f} s")
    for name, parts, count in (("before", calm, len(before)), ("in the flood", wet, len(during))):
        stage.note(f"{name}, {count} events: p50 {parts['half'] * 1000:.0f} ms, p95"
                   f" {parts['all'] * 1000:.0f} ms (answered {parts['ack'] * 1000:.0f}, decided"
                   f" {parts['decide'] * 1000:.0f}, sent {parts['send'] * 1000:.0f} ms)")
    stage.note(f"the flood of {size} pushes lasted {end - split:.0f} s,"
               f" {waiting} of its jobs waiting when all was posted")
    # What is left of the flood is not what is tried here.
    stage.cluster.run(f"delete from sineta.jobs where store_id = '{flood.store}'")
    stage.settle()


def flooding_store(stage):
    person = stage.person("flood")
    store = stage.command("store", "create", "Flood", person["email"]).split("\n")[0]
    token = stage.command("token", "create", store, "flood").split("\n")[-1]
    for number in range(DEVICES):
        # A session has one installation.
        stage.stranger(stage.sign_in(person), ("ios", "android")[number % 2])
    return Ledger(store, Client(stage.api.address, token, timeout=30), stage.random)


def pour(flood, events):
    while len(flood.events) < events:
        flood.post(500)


def watch(stage, flood, size):
    """Until the flood has run off, or for a minute; how much waited when all of it was posted, and
    when it ended."""
    # A process of its own: in this one its work would hold up what is measured.
    pouring = multiprocessing.get_context("fork").Process(
        target=pour, args=(flood, size // DEVICES), daemon=True)
    pouring.start()
    waiting = None
    limit = time.time() + 60
    sent = stage.simulator.requests()
    while time.time() < limit and stage.simulator.requests() - sent < size:
        look(stage)
        if waiting is None and not pouring.is_alive():
            waiting = stage.cluster.value(
                f"select count(*) as n from sineta.jobs where store_id = '{flood.store}'")
    end = time.time()
    pouring.join(60)
    stage.require(pouring.exitcode == 0, f"the flood's posting ended with {pouring.exitcode}")
    return waiting, end


def look(stage):
    """Fetches, every two seconds, what arrived before the flood's requests push it out of what the
    double keeps."""
    time.sleep(2)
    stage.inbox()


def moments(stage):
    """For each alert when it was decided and when its pushes arrived."""
    decided = {row["id"]: row["at"] for row in stage.cluster.rows(
        "select id, extract(epoch from decided_at)::float8 as at from sineta.alerts"
        f" where store_id = '{stage.store}'")}
    arrived = {}
    for each in stage.inbox():
        arrived.setdefault(each.alert, []).append(each.at)
    return decided, arrived


def latency(events, rows):
    """The p95 from a call to the provider, and of each part of the way by itself. What has not come
    to its end by now took until now at least."""
    decided, arrived = rows
    now = time.time()
    took = {"all": [], "ack": [], "decide": [], "send": []}
    for event in events:
        alert = event["alert_id"]
        decided_at = decided.get(alert) or now
        came = arrived.get(alert, [])
        for at in came + [now] * (2 - len(came)):
            took["all"].append(at - event["posted_at"])
            took["send"].append(at - decided_at)
        took["ack"].append(event["acked_at"] - event["posted_at"])
        took["decide"].append(decided_at - event["acked_at"])
    parts = {name: percentile(times, 0.95) for name, times in took.items()}
    return parts | {"half": percentile(took["all"], 0.5)}


def percentile(times, part):
    times.sort()
    return times[int(len(times) * part)] if times else 99.0
