"""Every answer of the providers' tables, one after the other, with other pushes between."""

import time

from ..http import until

TITLE = "every answer of APNs and FCM, and storms of 429, 500 and 503"
SMOKE, FULL = 10, 999

# provider, status, reason, how often, how it ends, attempts, whether the device goes
GONE, DEAD, SENT = ("rejected", True), ("dead", False), ("accepted", False)
ROWS = [
    ("apns", 410, "Unregistered", None, *GONE, 1),
    ("fcm", 404, "UNREGISTERED", None, *GONE, 1),
    ("apns", 503, "ServiceUnavailable", 2, *SENT, 3),
    ("fcm", 503, "UNAVAILABLE", 1, *SENT, 2),
    ("apns", 429, "TooManyRequests", 2, *SENT, 3),
    ("apns", 400, "BadDeviceToken", None, *GONE, 1),
    ("fcm", 403, "SENDER_ID_MISMATCH", None, *GONE, 1),
    ("apns", 403, "InvalidProviderToken", 1, *DEAD, 1),
    ("apns", 413, "PayloadTooLarge", None, *DEAD, 1),
    ("fcm", 401, "THIRD_PARTY_AUTH_ERROR", None, *DEAD, 1),
    ("apns", 400, "DeviceTokenNotForTopic", None, *GONE, 1),
    ("apns", 410, "ExpiredToken", None, *GONE, 1),
    ("apns", 500, "InternalServerError", 2, *SENT, 3),
    ("apns", 503, "Shutdown", 1, *SENT, 2),
    ("apns", 429, "TooManyProviderTokenUpdates", 1, *DEAD, 1),
    ("apns", 403, "Forbidden", 1, *DEAD, 1),
    ("apns", 403, "MissingProviderToken", 1, *DEAD, 1),
    ("apns", 403, "BadEnvironmentKeyInToken", 1, *DEAD, 1),
    ("apns", 403, "BadEnvironmentKeyIdInToken", 1, *DEAD, 1),
    ("apns", 403, "BadCertificate", 1, *DEAD, 1),
    ("apns", 400, "TopicDisallowed", 1, *DEAD, 1),
    ("apns", 403, "ExpiredProviderToken", 1, *SENT, 1),
    ("apns", 403, "UnrelatedKeyIdInToken", 1, *SENT, 1),
    ("apns", 400, "BadCollapseId", None, *DEAD, 1),
    ("apns", 400, "BadExpirationDate", None, *DEAD, 1),
    ("apns", 400, "BadMessageId", None, *DEAD, 1),
    ("apns", 400, "BadPriority", None, *DEAD, 1),
    ("apns", 400, "BadTopic", None, *DEAD, 1),
    ("apns", 400, "DuplicateHeaders", None, *DEAD, 1),
    ("apns", 400, "IdleTimeout", None, *DEAD, 1),
    ("apns", 400, "InvalidPushType", None, *DEAD, 1),
    ("apns", 400, "MissingDeviceToken", None, *DEAD, 1),
    ("apns", 400, "MissingTopic", None, *DEAD, 1),
    ("apns", 400, "PayloadEmpty", None, *DEAD, 1),
    ("apns", 404, "BadPath", None, *DEAD, 1),
    ("apns", 405, "MethodNotAllowed", None, *DEAD, 1),
    ("fcm", 403, "PERMISSION_DENIED", 1, *DEAD, 1),
    ("fcm", 400, "INVALID_ARGUMENT", None, *DEAD, 1),
    ("fcm", 500, "INTERNAL", 1, *SENT, 2),
]


def play(stage, size):
    stage.open()
    stage.allow.outcomes = ("accepted", "rejected", "suppressed")
    stage.allow.dead = True
    stage.allow.every_device = False
    rows = ROWS[:size]
    if stage.house.is_full:
        stage.random.shuffle(rows)
    session = stage.sign_in(stage.owner)
    for row in rows:
        answer(stage, session, row)
        stage.injected()
    storm(stage)
    stage.settle()


def answer(stage, session, row):
    provider, status, reason, times, outcome, goes, attempts = row
    device = stage.phone(session, "ios" if provider == "apns" else "android")
    rule = {"token": device["token"], "status": status, "reason": reason}
    stage.simulator.script(**(rule | ({"next": times} if times else {})))
    stage.ledger.post()
    stage.ledger.resolve()
    alert = stage.ledger.accepted[-1]["alert_id"]
    alert = max(stage.ledger.accepted, key=lambda event: event["acked_at"])["alert_id"]
    name = f"{provider} {status} {reason}"

    def end():
        rows = stage.cluster.rows(
            "select outcome, attempts from sineta.deliveries"
            f" where alert_id = '{alert}' and device_id = '{device['id']}'"
            " union all select 'dead', attempts from sineta.jobs_dead"
            f" where subject = '{alert}' and target = '{device['id']}'")
        return rows and rows[0]

    found = until(end, 45) or {"outcome": "nothing", "attempts": 0}
    stage.require(found["outcome"] == outcome and found["attempts"] == attempts,
                  f"{name}: ended {found['outcome']} after {found['attempts']},"
                  f" not {outcome} after {attempts}")
    left = stage.cluster.value(
        f"select count(*) as n from sineta.devices where id = '{device['id']}'")
    stage.require((left == 0) == goes, f"{name}: the device {'stays' if left else 'is gone'}")
    stage.simulator.clear()
    # A pause or a breaker that the row brought ends by its own probe.
    closed = "select count(*) as n from sineta.lane_states where state not in ('open', 'off')"
    resumed = until(lambda: stage.cluster.value(closed) == 0 or not stage.drained() and None, 1) \
        or resume(stage, closed)
    stage.require(resumed, f"{name}: the lanes do not resume")


def resume(stage, closed):
    """A broken lane needs a job to probe with."""
    stage.ledger.post()
    return until(lambda: stage.cluster.value(closed) == 0, 20)


def storm(stage):
    """A provider that refuses most, with Retry-After, and then nothing of it."""
    for status, reason in ((429, "TooManyRequests"), (503, "ServiceUnavailable")):
        stage.simulator.script(
            provider="apns", status=status, reason=reason, next=2, headers={"retry-after": "1"})
        start = time.time()
        stage.ledger.post()
        stage.ledger.resolve()
        until(stage.drained, 30)
        alert = max(stage.ledger.accepted, key=lambda event: event["acked_at"])["alert_id"]
        times = {}
        for each in stage.simulator.entries():
            if each.alert == alert and each.provider == "apns":
                times.setdefault(each.token, []).append(each.at)
        gaps = [later - at for line in times.values() for at, later in zip(line, line[1:])]
        stage.require(gaps and min(gaps) >= 0.99,
                      f"G7: {status} with Retry-After 1 was tried again after {gaps}")
        stage.injected()
        stage.note(f"{status} storm ended after {time.time() - start:.1f} s")
