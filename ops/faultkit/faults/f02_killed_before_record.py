"""The provider has taken a push and the worker dies before it knows: exactly one repeat, under the
same identity."""

from collections import Counter

from ..http import until

TITLE = "SIGKILL between the provider's acceptance and its record"
# One takes a whole lease: 30 s in the full set. Each has two pushes.
SMOKE, FULL = 2, 8


def play(stage, size):
    # The provider has answered late and the worker is still asking when it is killed.
    stage.open(PROVIDER_TIMEOUT_SECONDS="10",
               JOB_LEASE_SECONDS="30" if stage.house.is_full else "12")
    for _ in range(size):
        for provider in ("apns", "fcm"):
            stage.simulator.script(provider=provider, delay=5)
        stage.ledger.post()
        stage.ledger.resolve()
        alert = [event["alert_id"] for event in stage.ledger.accepted][-1]
        both = until(lambda: [each for each in stage.simulator.entries()
                              if each.alert == alert and each.accepted][1:], 20)
        stage.require(both, "the push did not reach the simulator")
        stage.workers[-1].kill()
        stage.simulator.clear()
        stage.start_worker()
        stage.injected()
        until(stage.drained, stage.lease_seconds() + 15)
        taken = Counter(each.token for each in stage.simulator.entries() if each.alert == alert)
        stage.require(all(count == 2 for count in taken.values()) and len(taken) == 2,
                      f"I4: after the repeat the phones have {sorted(taken.values())} requests")
    stage.settle()
