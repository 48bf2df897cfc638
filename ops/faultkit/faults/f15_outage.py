"""A provider is away for longer than a push lives, scaled: its hour is a minute or less. Nothing
dies of it, nothing goes out late, and it goes on within a probe of the provider's return."""

import time

from ..http import until

TITLE = "provider outage that outlasts the life of its pushes, scaled"
SMOKE, FULL = None, 2


def play(stage, size):
    stage.allow.outcomes = ("accepted", "expired")
    # A failing request that started in time may still be under way when the life ends.
    life = 12
    stage.open(workers=1, ALERT_MAX_AGE_SECONDS=str(life), BREAKER_PROBE_SECONDS="0.5",
               BACKOFF_BASE_SECONDS="0.2")
    slowest = 0.0
    with stage.load(rate=20):
        for number in range(size):
            time.sleep(2)
            for provider in ("apns", "fcm"):
                stage.simulator.script(provider=provider, status=503, reason="UNAVAILABLE"
                                       if provider == "fcm" else "ServiceUnavailable")
            time.sleep(life * (0.5 if number % 2 == 0 else 2))
            stage.simulator.clear()
            back_at = time.time()
            until(lambda: any(each.accepted and each.at > back_at
                              for each in stage.simulator.entries()[-200:]), 30)
            slowest = max(slowest, time.time() - back_at)
            stage.injected()
    stage.require(slowest <= 5, f"G9: the first push went out {slowest:.1f} s after the return")
    facts = stage.settle()
    expired = sum(row["outcome"] == "expired" for row in facts.deliveries)
    most = max(row["attempts"] for row in facts.deliveries)
    stage.require(most <= 3 * size, f"an outage cost a push {most} attempts")
    stage.note(f"resumed {slowest:.1f} s after the return, {expired} expired,"
               f" at most {most} attempts")
