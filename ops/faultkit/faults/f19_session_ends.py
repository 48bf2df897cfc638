"""A session loses its devices in each of the ways there are while 1,000 pushes wait for them: none
starts later than a second after the answer, and none is in flight eleven seconds after it."""

import time
from datetime import datetime

from ..http import until

TITLE = "five ways to lose devices, each against 1,000 queued sends"
# Acts; five make a round.
SMOKE, FULL = 5, 50

QUEUED = 1000
# More, for what goes out before the last session of a round ends.
EVENTS = 600


def play(stage, size):
    # Few slots, slow answers, and the product's own deadlines: sends queue, and one that is in
    # flight stays so for as long as it may.
    stage.open(WORKER_CONCURRENCY="20", PROVIDER_TIMEOUT_SECONDS="10", JOB_LEASE_SECONDS="30")
    stage.allow.outcomes = ("accepted", "suppressed")
    stage.allow.every_device = False
    ended = []
    for number in range(0, size, len(ACTS)):
        acts = ACTS[:-1]
        if number:
            stage.random.shuffle(acts)
        # It ends every other session, so it comes last.
        acts = (acts + ACTS[-1:])[:size - number]
        ended += play_round(stage, acts)
    facts = stage.settle()
    for act in ACTS:
        measure(stage, facts, act, [each for each in ended if each["act"] is act])


def play_round(stage, acts):
    """Lets sessions end one after the other while sends queue for all of them."""
    ended = []
    for act in acts:
        session, phones = stage.phones(stage.owner)
        ended.append({"act": act, "session": session, "phones": phones})
    slow_answers(stage)
    for _ in range(EVENTS // 200):
        stage.ledger.post(200)
    until(lambda: all(queued(stage, each) >= QUEUED for each in ended), 60)
    for number, each in enumerate(ended):
        hold(stage, each["phones"][number % 2]["token"])
        each["queued"] = queued(stage, each)
        each["at"] = each["act"](stage, each["session"], each["phones"])
        for phone in each["phones"]:
            stage.logouts[phone["token"]] = each["at"]
        stage.injected()
    # What is in flight has its time, and no help.
    time.sleep(max(0, ended[-1]["at"] + 11 - time.time()))
    stage.simulator.clear()
    until(stage.drained, 60, pause=0.2)
    return ended


def slow_answers(stage):
    for provider in ("apns", "fcm"):
        stage.simulator.script(provider=provider, delay=0.3)


def hold(stage, token):
    """From here on a request of this phone is in flight, and gets no answer before the worker gives
    it up. It is one: more in a row would be an outage, which is F15's."""
    # The first rule that fits is used.
    stage.simulator.clear()
    stage.simulator.script(token=token, next=1, delay=60)
    slow_answers(stage)
    came = len(stage.simulator.entries(token))
    until(lambda: len(stage.simulator.entries(token)) > came, 30)


def queued(stage, each):
    ids = ", ".join(f"'{phone['id']}'" for phone in each["phones"])
    return stage.cluster.value(
        f"select count(*) as n from sineta.jobs where target in ({ids})")


def measure(stage, facts, act, ended):
    """The last start by the simulator's clock, the last end by what the worker noted and by the
    leases, to a tenth of a second."""
    if not ended:
        return
    starts, ends, unsent = [], [], []
    for each in ended:
        tokens = {phone["token"] for phone in each["phones"]}
        ids = {phone["id"] for phone in each["phones"]}
        rows = [row for row in facts.deliveries if row["device_id"] in ids]
        starts += [entry.at - each["at"] for entry in facts.inbox if entry.token in tokens]
        ends += [moment(attempt["at"]) - each["at"]
                 for row in rows for attempt in row["tries"] or []]
        # A lease that stood at the answer covers its send, noted or not.
        ends += [last - each["at"]
                 for last in stage.watch.ends({row["id"] for row in rows}, each["at"])]
        unsent.append(sum(row["outcome"] == "suppressed" for row in rows))
    name = act.__name__.replace("_", " ")
    least = min(each["queued"] for each in ended)
    stage.require(least >= QUEUED, f"{name}: only {least} sends were queued: too few to tell")
    stage.require(min(unsent) >= QUEUED * 0.9,
                  f"{name}: only {min(unsent)} sends were still queued at the answer")
    last_start, last_end = max(starts), max(ends)
    stood = max(stage.stall.longest(each["at"], each["at"] + 2) for each in ended)
    if stood:
        stage.note(f"{name}: the machine stood still for {stood:.1f} s, which is added to the second")
    stage.require(last_start <= 1 + stood, f"G11: {name}: a send started {last_start:.2f} s after the answer")
    stage.require(0 < last_end <= 11, f"G11: {name}: the last send ended {last_end:+.2f} s after"
                  " the answer, which must be above 0 (one is held) and 11 at most")
    stage.note(f"{name}: {least} queued at least, {min(unsent)} of them unsent;"
               f" last start {last_start:+.2f} s, last end {last_end:+.2f} s after the answer")


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


# --- the acts; each gives the moment of its answer


def logout(stage, session, _):
    return answered(stage, session.call("POST", "/v1/auth/logout", {}), 204)


def end_by_another_session(stage, session, _):
    other = stage.sign_in(stage.owner)
    return answered(stage, other.call("DELETE", f"/v1/me/sessions/{session.session}"), 204)


def refresh_token_reused(stage, session, _):
    first = session.refresh_token
    for _ in range(2):
        status, _, body = session.call(
            "POST", "/v1/auth/refresh", {"refresh_token": session.refresh_token})
        answered(stage, (status,), 200)
        session.refresh_token = body["refresh_token"]
    return answered(stage, session.call("POST", "/v1/auth/refresh", {"refresh_token": first}), 401)


def token_moves(stage, _, phones):
    stranger = stage.sign_in(stage.person("stranger"))
    for phone in phones:
        at = answered(stage, stranger.call("POST", "/v1/me/devices", {
            "platform": phone["platform"], "token": phone["token"]}), 200)
    return at


def password_changes(stage, _, __):
    other = stage.sign_in(stage.owner)
    new = stage.owner["password"] + "x"
    at = answered(stage, other.call("POST", "/v1/me/password", {
        "current_password": stage.owner["password"], "new_password": new}), 204)
    stage.owner["password"] = new
    return at


def answered(stage, answer, wanted):
    at = time.time()
    if answer[0] != wanted:
        raise RuntimeError(f"the act was answered {answer[0]}, not {wanted}")
    return at


ACTS = [logout, end_by_another_session, refresh_token_reused, token_moves, password_changes]
