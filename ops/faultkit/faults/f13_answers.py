"""Every line of the providers' tables: how the push ends, after how many attempts, whether the device
stays, and when it is tried again."""

import json
import time
from dataclasses import dataclass, field
from email.utils import formatdate

from ..http import Client, until
from ..ledger import Ledger, Load

TITLE = "every answer of APNs and FCM"
# Times through all rows, in another order each time.
SMOKE, FULL = 1, 3

# Rows at a time. Ten mismatches in a row would be taken for a wrong topic; there are five, and those
# of the owner's first phones are accepted between.
GROUP = 12


@dataclass
class Row:
    """An answer, and what must follow. A `rule` is the simulator's; the token is added to it."""

    name: str
    provider: str
    rule: dict
    outcome: str
    attempts: int
    goes: bool = False
    # Rows that close no lanes are tried side by side, those that do one by one of each provider.
    closes: bool = False
    # Seconds before the next attempt: at least, and at most.
    wait: tuple | None = None
    # A token that was called expired is replaced once in twenty minutes: it needs a new worker.
    fresh: bool = False
    # Rules for other things than the push, as Google's token endpoint.
    also: list = field(default_factory=list)


def apns(status, reason, outcome, attempts=1, times=None, name="", **more):
    rule = {"status": status} | ({"reason": reason} if reason else {}) | more.pop("rule", {})
    return Row(name or f"apns {status} {reason}", "apns",
               rule | ({"next": times} if times else {}), outcome, attempts, **more)


def fcm(status, reason, outcome, attempts=1, times=None, name="", **more):
    rule = {"status": status} | ({"reason": reason} if reason else {}) | more.pop("rule", {})
    return Row(name or f"fcm {status} {reason}", "fcm",
               rule | ({"next": times} if times else {}), outcome, attempts, **more)


def google(status, code, message, *details):
    """An error as Google's APIs say it; a detail is (type, members)."""
    kinds = {"fcm": "google.firebase.fcm.v1.FcmError", "apns": "google.firebase.fcm.v1.ApnsError",
             "bad": "google.rpc.BadRequest", "quota": "google.rpc.QuotaFailure"}
    return {"body": {"error": {
        "code": status, "message": message, "status": code,
        "details": [{"@type": f"type.googleapis.com/{kinds[kind]}"} | members
                    for kind, members in details]}}}


def waits(text, **more):
    return {"rule": {"headers": {"retry-after": text}}} | more


HTML = {"headers": {"content-type": "text/html"}, "body": "<html><h1>502 Bad Gateway</h1></html>"}
SIZE = "Message is too large. The maximum is 4K (4096 bytes)."
# The scaled base is 0.2 s, so the first wait is 0.1 s to 0.2 s, and what the database needs.
BACKOFF = (0.05, 3)


def rows():
    """Every line of the tables, and every form of a wait."""
    gone = {"outcome": "rejected", "goes": True}
    dead = {"outcome": "dead"}
    paused = {"outcome": "dead", "closes": True}
    sent = {"outcome": "accepted"}
    return [
        # APNs, the table of reasons.
        apns(400, "BadDeviceToken", **gone),
        apns(400, "DeviceTokenNotForTopic", **gone),
        apns(410, "Unregistered", **gone),
        apns(410, "ExpiredToken", **gone),
        apns(410, None, "rejected", name="apns 410 older than the registration",
             rule={"body": {"reason": "Unregistered", "timestamp": 1_700_000_000_000}}),
        *[apns(400, reason, **dead) for reason in (
            "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic",
            "DuplicateHeaders", "IdleTimeout", "InvalidPushType", "MissingDeviceToken",
            "MissingTopic", "PayloadEmpty")],
        apns(404, "BadPath", **dead),
        apns(405, "MethodNotAllowed", **dead),
        apns(413, "PayloadTooLarge", **dead),
        apns(400, "TopicDisallowed", times=1, **paused),
        *[apns(403, reason, times=1, **paused) for reason in (
            "BadCertificate", "BadCertificateEnvironment", "Forbidden", "InvalidProviderToken",
            "MissingProviderToken", "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken")],
        apns(429, "TooManyProviderTokenUpdates", times=1, **paused),
        # One repeat, on a new connection.
        apns(403, "ExpiredProviderToken", times=1, closes=True, fresh=True, **sent),
        apns(403, "UnrelatedKeyIdInToken", times=1, **sent),
        apns(403, "ExpiredProviderToken", times=2, name="apns 403 ExpiredProviderToken again",
             fresh=True, **paused),
        apns(403, "UnrelatedKeyIdInToken", times=2, name="apns 403 UnrelatedKeyIdInToken again",
             **paused),
        apns(429, "TooManyRequests", attempts=3, times=2, wait=BACKOFF, **sent),
        apns(500, "InternalServerError", attempts=3, times=2, closes=True, wait=BACKOFF, **sent),
        apns(503, "ServiceUnavailable", attempts=3, times=2, closes=True, wait=BACKOFF, **sent),
        apns(503, "Shutdown", attempts=2, times=1, closes=True, wait=BACKOFF, **sent),
        apns(502, None, attempts=2, times=1, closes=True, name="apns 502 with HTML", rule=HTML,
             **sent),
        # Without the provider's own words a status says nothing of token or key.
        *[apns(status, None, attempts=2, times=1, closes=True, wait=BACKOFF, rule=rule, **sent,
               name=f"apns {status} {word}")
          for status, word, rule in (
              (410, "without a reason", {"body": {}}), (403, "with HTML", HTML))],
        Row("apns no answer", "apns", {"next": 1, "delay": 30}, "accepted", 2, closes=True),
        Row("apns connection closed", "apns", {"next": 1, "connection": {"close": True}},
            "accepted", 2, closes=True),
        # The forms of Retry-After.
        apns(429, "TooManyRequests", attempts=2, times=1, wait=(2, 5), **sent,
             **waits("2", name="apns 429 Retry-After in seconds")),
        apns(429, "TooManyRequests", attempts=2, times=1, wait=(10, 20), **sent,
             **waits("DATE+20", name="apns 429 Retry-After as a date")),
        apns(503, "ServiceUnavailable", attempts=2, times=1, closes=True, wait=(2, 5), **sent,
             **waits("2", name="apns 503 Retry-After")),
        *[apns(429, "TooManyRequests", attempts=2, times=1, wait=BACKOFF, **sent,
               **waits(text, name=f"apns 429 Retry-After {word}"))
          for text, word in (("-5", "negative"), ("soon", "unreadable"), ("", "empty"),
                             ("0", "zero"), ("DATE-60", "in the past"), ("1.5", "broken"))],
        apns(429, "TooManyRequests", "expired", times=1,
             **waits("7200", name="apns 429 Retry-After beyond its life")),
        # FCM, the table of codes.
        fcm(404, "UNREGISTERED", **gone),
        fcm(404, None, **gone, name="fcm 404 UNREGISTERED and what APNs said", rule=google(
            404, "NOT_FOUND", "Requested entity was not found.",
            ("fcm", {"errorCode": "UNREGISTERED"}),
            ("apns", {"statusCode": 410, "reason": "Unregistered"}))),
        fcm(403, "SENDER_ID_MISMATCH", **gone),
        fcm(400, "INVALID_ARGUMENT", **gone),
        fcm(400, None, **gone, name="fcm 400 blames message.token", rule=google(
            400, "INVALID_ARGUMENT", "Request contains an invalid argument.",
            ("fcm", {"errorCode": "INVALID_ARGUMENT"}), ("bad", {"fieldViolations": [
                {"field": "message.token", "description": "Invalid registration token"}]}))),
        fcm(400, None, **gone, name="fcm 400 APNs token is disabled", rule=google(
            400, "INVALID_ARGUMENT", "APNs device token is disabled.",
            ("fcm", {"errorCode": "INVALID_ARGUMENT"}),
            ("apns", {"statusCode": 410, "reason": "Unregistered"}))),
        *[fcm(400, None, **dead, name=f"fcm 400 {text[:24]}", rule=google(
            400, "INVALID_ARGUMENT", text, ("fcm", {"errorCode": "INVALID_ARGUMENT"})))
          for text in (SIZE, "Android message is too big")],
        fcm(400, None, **dead, name="fcm 400 too large, with message.data", rule=google(
            400, "INVALID_ARGUMENT", SIZE, ("fcm", {"errorCode": "INVALID_ARGUMENT"}),
            ("bad", {"fieldViolations": [{"field": "message.data", "description": SIZE}]}))),
        fcm(400, None, **dead, name="fcm 400 BadRequest alone", rule=google(
            400, "INVALID_ARGUMENT", "Invalid value at 'message.data[0].value' (TYPE_STRING), 12",
            ("bad", {"fieldViolations": [
                {"field": "message.data[0].value", "description": "Invalid value"}]}))),
        fcm(400, "UNSPECIFIED_ERROR", **dead),
        fcm(401, "THIRD_PARTY_AUTH_ERROR", **dead),
        fcm(401, "APNS_AUTH_ERROR", **dead),
        fcm(401, None, **dead, name="fcm 401 THIRD_PARTY_AUTH_ERROR in Google's words",
            rule=google(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."
                        " Expected OAuth 2 access token.",
                        ("fcm", {"errorCode": "THIRD_PARTY_AUTH_ERROR"}),
                        ("apns", {"statusCode": 403, "reason": "BadEnvironmentKeyInToken"}))),
        fcm(401, "UNAUTHENTICATED", times=1, name="fcm 401 UNAUTHENTICATED once", **sent),
        fcm(401, "UNAUTHENTICATED", times=2, name="fcm 401 UNAUTHENTICATED twice", **paused),
        fcm(404, "NOT_FOUND", times=1, name="fcm 404 without FcmError", **paused),
        fcm(403, "PERMISSION_DENIED", times=1, **paused),
        *[fcm(401, "UNAUTHENTICATED", times=1, name=f"fcm 401, then the token is refused: {error}",
              also=[{"provider": "token", "status": 400, "reason": error, "next": 1}], **paused)
          for error in ("invalid_grant", "invalid_request", "invalid_scope")],
        fcm(401, "UNAUTHENTICATED", times=1, name="fcm 401, then an answer without a token", also=[
            {"provider": "token", "status": 200, "body": {"id_token": "x"}, "next": 1}], **paused),
        fcm(429, "QUOTA_EXCEEDED", attempts=2, times=1, wait=(60, 61), **sent),
        fcm(429, "QUOTA_EXCEEDED", attempts=2, times=1, wait=(3, 6), **sent,
            **waits("3", name="fcm 429 Retry-After in seconds")),
        fcm(429, "QUOTA_EXCEEDED", attempts=2, times=1, wait=(60, 61), **sent,
            **waits("-5", name="fcm 429 Retry-After negative")),
        fcm(429, None, attempts=2, times=1, wait=(60, 61), name="fcm 429 with HTML", rule=HTML,
            **sent),
        fcm(503, "UNAVAILABLE", attempts=2, times=1, closes=True, wait=(10, 11), **sent),
        fcm(503, "UNAVAILABLE", attempts=2, times=1, closes=True, wait=(20, 21), **sent,
            **waits("20", name="fcm 503 Retry-After")),
        fcm(500, "INTERNAL", attempts=2, times=1, closes=True, wait=(10, 11), **sent),
        fcm(502, None, attempts=2, times=1, closes=True, name="fcm 502 with HTML", rule=HTML,
            wait=(10, 11), **sent),
        fcm(404, None, attempts=2, times=1, closes=True, name="fcm 404 with HTML", rule=HTML,
            wait=(10, 11), **sent),
        fcm(200, "PROXY", attempts=2, times=1, closes=True, name="fcm 200 without a name", rule=HTML,
            wait=(10, 11), **sent),
        Row("fcm no answer", "fcm", {"next": 1, "delay": 30}, "accepted", 2, closes=True),
        Row("fcm connection closed", "fcm", {"next": 1, "connection": {"close": True}},
            "accepted", 2, closes=True),
    ]


def play(stage, size):
    # The full run too has the scaled waits: a pause of a minute for each row proves nothing more.
    stage.open(PAUSE_BASE_SECONDS="0.5", BACKOFF_BASE_SECONDS="0.2", BREAKER_PROBE_SECONDS="0.5",
               PROVIDER_TIMEOUT_SECONDS="3", JOB_LEASE_SECONDS="6")
    stage.allow.outcomes = ("accepted", "rejected", "expired", "suppressed")
    stage.allow.dead = True
    stage.allow.every_device = False
    # A session has one installation; the next group's tokens replace what is left of the last.
    stage.sessions = [stage.sign_in(stage.owner) for _ in range(GROUP)]
    stage.neighbour = neighbour(stage)
    for lap in range(size):
        table = rows()
        if lap:
            stage.random.shuffle(table)
        side_by_side = [row for row in table if not row.closes]
        while side_by_side:
            group, side_by_side = side_by_side[:GROUP], side_by_side[GROUP:]
            answer(stage, group)
        lines = [[row for row in table if row.closes and row.provider == provider]
                 for provider in ("apns", "fcm")]
        while any(lines):
            answer(stage, [line.pop(0) for line in lines if line])
        persistent(stage)
    stage.note(f"{len(rows())} rows, {size} order{'s' * (size > 1)}")
    stage.settle()


def neighbour(stage):
    """Another store, whose owner has an iPhone that gets everything."""
    person = stage.person("neighbour")
    store = stage.command("store", "create", "Neighbour", person["email"]).split("\n")[0]
    token = stage.command("token", "create", store, "faults").split("\n")[-1]
    stage.phone(stage.sign_in(person), "ios")
    return Ledger(store, Client(stage.api.address, token), stage.random)


def answer(stage, group):
    """One event for all devices; each has its row."""
    if any(row.fresh for row in group):
        stage.workers[-1].terminate()
        stage.start_worker()
    devices = []
    for row in group:
        device = stage.phone(stage.sessions[len(devices)],
                             "ios" if row.provider == "apns" else "android")
        devices.append(device)
        for rule in row.also:
            stage.simulator.script(**rule)
        stage.simulator.script(token=device["token"], **dated(row.rule))
    alert = post(stage)
    waited = {}
    done = until(lambda: all_ended(stage, alert, group, devices, waited), 40)
    stage.simulator.clear()
    for row, device in zip(group, devices):
        judge(stage, row, device, alert, waited, done)
        stage.injected()
    # A pause that a row brought ends by its own probe, a breaker by the next push.
    closed = "select count(*) as n from sineta.lane_states where state not in ('open', 'off')"
    for _ in range(20):
        if stage.cluster.value(closed) == 0:
            break
        post(stage)
        until(lambda: stage.cluster.value(closed) == 0, 1)
    stage.require(stage.cluster.value(closed) == 0,
                  f"the lanes do not resume after {', '.join(row.name for row in group)}")
    stage.cluster.run(f"delete from sineta.devices where id in ({ids(devices)})")


def ids(devices):
    return ", ".join(f"'{device['id']}'" for device in devices)


def dated(rule):
    """`DATE+20` becomes HTTP's date of twenty seconds from now."""
    text = rule.get("headers", {}).get("retry-after", "")
    if not text.startswith("DATE"):
        return rule
    return rule | {"headers": {"retry-after": formatdate(time.time() + int(text[4:]), usegmt=True)}}


def post(stage):
    stage.ledger.post()
    stage.ledger.resolve()
    return max(stage.ledger.accepted, key=lambda event: event["acked_at"])["alert_id"]


def ends(stage, alert, devices):
    rows = stage.cluster.rows(
        "select device_id as device, outcome, attempts from sineta.deliveries"
        f" where alert_id = '{alert}' and device_id in ({ids(devices)})"
        " union all select target, 'dead', attempts from sineta.jobs_dead"
        f" where subject = '{alert}' and target in ({ids(devices)})")
    return {row["device"]: row for row in rows}


def all_ended(stage, alert, group, devices, waited):
    """Waits that are longer than a test are read from the row and then cut short."""
    for job in stage.cluster.rows(
            "select id, target, extract(epoch from wake_at - timed_at) as wait"
            " from sineta.jobs where lease_id is null and wake_at > now() + interval '2 s'"
            f" and attempts > 0 and subject = '{alert}'"):
        waited[job["target"]] = float(job["wait"])
        stage.cluster.run(f"update sineta.jobs set wake_at = now() where id = '{job['id']}'"
                          " and lease_id is null")
    return len(ends(stage, alert, devices)) == len(group)


def judge(stage, row, device, alert, waited, done):
    found = ends(stage, alert, [device]).get(
        device["id"], {"outcome": "nothing", "attempts": 0})
    stage.require((found["outcome"], found["attempts"]) == (row.outcome, row.attempts),
                  f"{row.name}: ended {found['outcome']} after {found['attempts']},"
                  f" not {row.outcome} after {row.attempts}")
    stays = stage.cluster.value(
        f"select count(*) as n from sineta.devices where id = '{device['id']}'") == 1
    stage.require(stays != row.goes, f"{row.name}: the device {'stays' if stays else 'is gone'}")
    if row.wait is None:
        return
    times = sorted(each.at for each in stage.simulator.entries(device["token"])
                   if each.alert == alert)
    gap = waited.get(device["id"]) or (times[1] - times[0] if times[1:] else 0)
    least, most = row.wait
    # The time between two requests is longer on a machine that is busy; what the row says is exact.
    if device["id"] not in waited:
        most += 5
    stage.require(least <= gap <= most,
                  f"{row.name}: tried again after {gap:.2f} s, not {least} to {most} s")


def persistent(stage):
    """A device that alone gets 503 dies after exactly five requests: others are accepted meanwhile, so
    what fails is this device and not the provider."""
    device = stage.phone(stage.sessions[0], "ios")
    stage.simulator.script(token=device["token"], status=503, reason="ServiceUnavailable")
    alert = post(stage)
    with Load(stage.neighbour, rate=60, threads=3):
        until(lambda: ends(stage, alert, [device]), 30)
    requests = len([each for each in stage.simulator.entries(device["token"])
                    if each.alert == alert])
    found = ends(stage, alert, [device]).get(device["id"], {"outcome": "nothing", "attempts": 0})
    stage.require((found["outcome"], found["attempts"], requests) == ("dead", 5, 5),
                  f"a device that alone gets 503 ended {found} after {requests} requests")
    stage.simulator.clear()
    stage.cluster.run(f"delete from sineta.devices where id = '{device['id']}'")
    stage.injected()
