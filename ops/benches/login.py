"""Whether a sign-in tells by its time who has an account, and whether a crowd of them stops others."""

import json
import math
import os
import random
import statistics
import sys
import threading
import time

from ground import SECONDS, Client, Ground

COUNT = int(os.environ.get("COUNT", "300"))
CROWD = 200


def main():
    with Ground() as ground:
        email, password = ground.person("ana")
        crowd(ground, email)
        told = timings(ground)
        slowed = beside(ground, password)
    sys.exit(1 if told or slowed else 0)


def crowd(ground, email):
    """People with one password: so many that nobody is slowed for guessing, and as many disabled."""
    for word, disabled in (("crowd", "null"), ("gone", "now()")):
        ground.cluster.run(
            "insert into sineta.users (id, email, name, password_hash, disabled_at)"
            f" select gen_random_uuid(), '{word}-' || n || '@bench.example', 'n', u.password_hash,"
            f" {disabled} from generate_series(0, {max(COUNT + 10, 2000)}) n, sineta.users u"
            f" where u.email = '{email}'")
    ground.cluster.run("analyze sineta.users")


# --- who has an account


def timings(ground):
    """One call at a time, in an order by chance, so that what changes with time meets all alike."""
    client = Client(ground.api.address)
    calls = [(kind, number) for number in range(COUNT) for kind in ("unknown", "wrong", "disabled")]
    random.shuffle(calls)
    words = {"unknown": "nobody", "wrong": "crowd", "disabled": "gone"}
    taken = {kind: [] for kind in words}
    bodies = set()
    for place, (kind, number) in enumerate([("wrong", COUNT + 9)] * 10 + calls):
        status, seconds, body = attempt(client, f"{words[kind]}-{number}@bench.example", place)
        if place < 10:
            continue
        taken[kind].append(1000 * seconds)
        bodies.add((status, json.dumps({k: v for k, v in body.items() if k != "request_id"})))
    print(f"sign-ins that fail, {COUNT} of each kind")
    told = len(bodies) != 1
    if told:
        print(f"  ANSWERS DIFFER: {bodies}")
    for kind, times in taken.items():
        p99 = sorted(times)[int(0.99 * len(times))]
        line = f"  {kind:9} p50 {statistics.median(times):7.2f} ms  p99 {p99:7.2f} ms"
        if kind != "unknown":
            base = statistics.median(taken["unknown"])
            difference = 100 * (statistics.median(times) - base) / base
            p = mann_whitney(taken["unknown"], times)
            line += f"  against unknown: medians {difference:+.1f} %, p = {p:.3f}"
            # A difference that chance would bring is none: more timings (COUNT) tell smaller ones.
            if p <= 0.01 or abs(difference) > 5 and p <= 0.05:
                line += "  TELLS THEM APART"
                told = True
        print(line, flush=True)
    return told


def attempt(client, email, place):
    """From an address of its own: guesses are counted by address as well."""
    address = f"10.{place >> 16 & 255}.{place >> 8 & 255}.{place & 255}"
    began = time.perf_counter()
    status, _, body = client.call(
        "POST", "/v1/auth/login", {"email": email, "password": "not the password"},
        headers={"X-Forwarded-For": address})
    return status, time.perf_counter() - began, body


def mann_whitney(left, right):
    """The two-sided p value that both were drawn alike, by ranks (normal approximation)."""
    ordered = sorted([(each, 0) for each in left] + [(each, 1) for each in right])
    ranks = sum(rank for rank, (_, side) in enumerate(ordered, 1) if side == 0)
    n, m = len(left), len(right)
    mean, deviation = n * (n + m + 1) / 2, math.sqrt(n * m * (n + m + 1) / 12)
    return math.erfc(abs(ranks - mean) / deviation / math.sqrt(2))


# --- a crowd


def beside(ground, password):
    """What somebody who is signed in waits while 200 others sign in at once."""
    access = ground.sign_in("ana@bench.example", password)
    alone = ground.load("reads.lua", "/v1/me", connections=4, ACCESS=access)
    crowd = {}

    def sign_in():
        crowd["load"] = ground.load(
            "logins.lua", connections=CROWD, seconds=SECONDS + 2, PEOPLE="2000", PASSWORD=password)

    thread = threading.Thread(target=sign_in)
    thread.start()
    time.sleep(1)
    load = ground.load("reads.lua", "/v1/me", connections=4, ACCESS=access)
    thread.join()
    print(f"GET /v1/me at 4 connections, alone: {alone.rate:.0f}/s, {alone}")
    late = load.p99 > 250 or load.refused > 0
    print(f"  beside {CROWD} sign-ins at once:  {load.rate:.0f}/s, {load}{'  TOO SLOW' if late else ''}")
    logins = crowd["load"]
    print(f"  the sign-ins: {logins.rate:.0f}/s answered, p50 {logins.p50:.0f} ms,"
          f" {logins.refused:.0f} of {logins.rate * (SECONDS + 2):.0f} told to come back")
    hashers = sum(name == "passwords" for name in ground.api.threads())
    print(f"  threads that hash: {hashers}")
    return late or hashers > 2


if __name__ == "__main__":
    main()
