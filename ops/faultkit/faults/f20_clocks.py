"""The clock of the API or of a worker jumps: what decides is the database's clock, which all share.
No lease is stolen, nobody is signed out, nothing is sent early, late or not at all."""

import os
import time

from ..http import until
from ..machine import FalseClock

TITLE = "clocks of API and worker: +1 h, -1 h, wobble of 5 s"
SMOKE, FULL = None, 12

HOUR = 3600
ORDER = [("worker", HOUR), ("api", HOUR), ("worker", -HOUR), ("api", -HOUR), ("both", "wobble"),
         ("both", HOUR), ("both", -HOUR), ("worker", "wobble"), ("api", "wobble"),
         ("both", 5), ("both", -5), ("worker", 61)]


def play(stage, size):
    clocks = {name: FalseClock(os.path.join(stage.house.home, f"clock-{name}"))
              for name in ("api", "worker")}
    stage.report.skipped = clocks["api"].missing
    if stage.report.skipped:
        return
    for clock in clocks.values():
        clock.share()
    try:
        play_with(stage, clocks, size)
    finally:
        for clock in clocks.values():
            clock.close()


def play_with(stage, clocks, size):
    stage.open(workers=0)
    stage.api.terminate()
    stage.start_api(**clocks["api"].variables)
    stage.start_worker(**clocks["worker"].variables)
    stage.start_worker()
    session = stage.sign_in(stage.owner)
    with stage.load(rate=25):
        stage.pause(1, 1)
        for number in range(size):
            who, jump = ORDER[number % len(ORDER)]
            names = ("api", "worker") if who == "both" else (who,)
            fenced = sum(worker.metric("sineta_jobs_fenced_total") for worker in stage.workers)
            lie(stage, [clocks[name] for name in names], jump)
            # A push that fails once while the clock is wrong must be tried again all the same.
            for provider in ("apns", "fcm"):
                stage.simulator.script(provider=provider, status=429, next=2,
                                       headers={"retry-after": "1"})
            time.sleep(3)
            stay(stage, session, f"{who} {jump}")
            for name in names:
                clocks[name].set(0)
            time.sleep(2)
            stay(stage, session, f"{who} back from {jump}")
            stolen = sum(worker.metric("sineta_jobs_fenced_total") for worker in stage.workers)
            stage.require(stolen == fenced, f"G16: {who} {jump}: {stolen - fenced:.0f} leases stolen")
            stage.injected()
    facts = stage.settle()
    lives = stage.cluster.rows(
        "select extract(epoch from a.expires_at) - extract(epoch from j.at) as life"
        " from sineta.alerts a join (select alert_id, min(finished_at) as at from sineta.deliveries"
        f" where store_id = '{stage.store}' group by 1) j on j.alert_id = a.id"
        f" where a.store_id = '{stage.store}'")
    wrong = [row["life"] for row in lives if abs(float(row["life"]) - HOUR) > 60]
    stage.require(not wrong, f"G16: {len(wrong)} of {len(lives)} alerts live another time than an hour"
                  f" from their push, as {wrong[:3]}")
    stage.note(f"{len(facts.alerts)} alerts, all within a minute of an hour's life")


def lie(stage, clocks, jump):
    if jump != "wobble":
        for clock in clocks:
            clock.set(jump)
        # It is read once a second.
        time.sleep(1.2)
        return
    for _ in range(6):
        for clock in clocks:
            clock.set(stage.random.randrange(-5, 6))
        time.sleep(1.1)


def stay(stage, session, when):
    status, _, _ = session.call("GET", "/v1/me")
    stage.require(status == 200, f"G16: {when}: a session's access token is answered {status}")
    status, _, body = session.call(
        "POST", "/v1/auth/refresh", {"refresh_token": session.refresh_token})
    stage.require(status == 200, f"G16: {when}: a refresh is answered {status}")
    if status == 200:
        session.refresh_token, session.token = body["refresh_token"], body["access_token"]
