"""A provider is away for longer than a push lives, scaled: its hour is a minute or less. It says so,
or it says nothing at all. Nothing dies of it, nothing goes out late, no push pays more than three attempts, and it goes on within a
probe of the provider's return."""

import time

from ..http import until
from ..proxy import TO_CLIENT, TO_SERVER

TITLE = "provider outage of half and of twice a push's life, scaled: 503, then silence"
SMOKE, FULL = None, 4

# Stands for the hour of an alert.
LIFE = 12


def play(stage, size):
    stage.allow.outcomes = ("accepted", "expired")
    stage.providers_through_proxies()
    stage.open(workers=2, ALERT_MAX_AGE_SECONDS=str(LIFE), BREAKER_PROBE_SECONDS="0.5",
               BACKOFF_BASE_SECONDS="0.2", PROVIDER_TIMEOUT_SECONDS="3", JOB_LEASE_SECONDS="8")
    slowest = 0.0
    outages = []
    with stage.load(rate=20):
        for number in range(size):
            # Between two outages everything of the one before has come to its end: what a push
            # pays, it pays for one.
            time.sleep(2)
            down_at = time.time()
            go_away(stage, says_so=number % 4 < 2)
            time.sleep(LIFE * (0.5 if number % 2 == 0 else 2))
            come_back(stage)
            back_at = time.time()
            outages.append((down_at, back_at))
            for provider in ("apns", "fcm"):
                until(lambda: any(each.accepted and each.at > back_at and each.provider == provider
                                  for each in stage.simulator.entries()[-200:]), 30)
                slowest = max(slowest, time.time() - back_at)
            stage.injected()
            time.sleep(LIFE + 2)
    stage.require(slowest <= 5, f"G9: the first push went out {slowest:.1f} s after the return")
    facts = stage.settle()
    judge(stage, facts, outages, slowest)


def go_away(stage, says_so):
    if says_so:
        for provider, reason in (("apns", "ServiceUnavailable"), ("fcm", "UNAVAILABLE")):
            stage.simulator.script(provider=provider, status=503, reason=reason)
    else:
        for line in stage.lines:
            line.swallow(TO_SERVER, TO_CLIENT)


def come_back(stage):
    stage.simulator.clear()
    for line in stage.lines:
        line.clear()
        line.reset_all()


def judge(stage, facts, outages, slowest):
    failed = [row["attempts"] - (row["outcome"] == "accepted") for row in facts.deliveries]
    stage.require(max(failed) <= 3, f"an outage cost a push {max(failed)} attempts")
    # Whoever was younger than its life when the provider came back has been sent.
    posted = {event["alert_id"]: event["posted_at"] for event in stage.ledger.accepted}
    young = [row for row in facts.deliveries if row["outcome"] == "expired"
             and not any(down < posted[row["alert_id"]] + LIFE < back + slowest + 1
                         for down, back in outages)]
    stage.require(not young, f"{len(young)} pushes expired that lived when the provider was back")
    expired = sum(row["outcome"] == "expired" for row in facts.deliveries)
    stage.note(f"resumed {slowest:.1f} s after the return, {expired} expired, 0 dead,"
               f" at most {max(failed)} attempts paid")
