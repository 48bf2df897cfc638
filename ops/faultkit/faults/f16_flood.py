"""One store floods the queue; another store's pushes hardly notice."""

import time

from ..http import Client
from ..ledger import Ledger, Load

TITLE = "one store floods: another store's pushes keep their time"
SMOKE, FULL = None, 20_000


def play(stage, size):
    stage.open(WORKER_CONCURRENCY="50")
    flood_store = stage.house.command(
        "store", "create", "Flood", stage.owner["email"]).split("\n")[0]
    token = stage.house.command("token", "create", flood_store, "flood").split("\n")[-1]
    flood = Ledger(flood_store, Client(stage.api.address, token), stage.random)
    # Slow answers make the queue, and not the test's client, the narrow place.
    stage.simulator.script(delay=0.02)
    with stage.load(rate=4, threads=2):
        time.sleep(8)
        split = time.time()
        while len(flood.events) < size // 2:
            flood.post(500)
        flooded = time.time()
        time.sleep(10)
        waiting = stage.cluster.value(
            f"select count(*) as n from sineta.jobs where store_id = '{flood_store}'")
    stage.injected()
    stage.require(waiting > 0 or flooded - split > 5, "the flood was over before it mattered")
    before, during = latencies(stage, split)
    stage.require(during <= max(2 * before, 0.5) and during <= 2,
                  f"G10: p95 went from {before:.2f} s to {during:.2f} s")
    stage.note(f"p95 of the other store {before:.2f} s, in the flood {during:.2f} s,"
               f" {waiting} jobs of the flood waiting")
    # What is left of the flood is not what is tried here.
    stage.cluster.run(f"delete from sineta.jobs where store_id = '{flood_store}'")
    stage.settle()


def latencies(stage, split):
    """The p95 from a call to the provider's acceptance, before the moment and after it."""
    sent = {event["alert_id"]: event["posted_at"] for event in stage.ledger.accepted}
    before, during = [], []
    for each in stage.simulator.entries():
        if each.accepted and each.alert in sent:
            took = each.at - sent[each.alert]
            (during if sent[each.alert] > split else before).append(took)
    return percentile(before), percentile(during)


def percentile(times):
    times.sort()
    return times[int(len(times) * 0.95)] if times else 99.0
