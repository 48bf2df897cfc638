"""What schemathesis does to each request on its way (SCHEMATHESIS_HOOKS names this file).

Ids made up at random are all unknown, so most of them become ids that exist; nothing else of a
generated request is touched. The answers are counted, since the check is worth as much as what was
reached.
"""

import atexit
import collections
import json
import os
import re
import threading
import urllib.parse
import zlib

import schemathesis

UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
# Beyond this many a list of ids forgets its oldest.
KEPT = 40

known = json.loads(os.environ["PROPERTIES_IDS"])
# The callers themselves. Schemathesis learns ids from answers, and whoever ends its own session, or
# takes itself out of the store, sees nothing but refusals from then on.
spared = set(json.loads(os.environ["PROPERTIES_SPARED"]))
NOBODY = "00000000-0000-7000-8000-000000000000"
counts = collections.Counter()
guard = threading.Lock()


def real(name, value):
    """An id that exists, for seven of eight that could; the same one for the same value."""
    ids = known.get(name)
    if value in spared:
        return NOBODY
    if not ids or not isinstance(value, str) or not UUID.fullmatch(value):
        return value
    choice = zlib.crc32(value.encode())
    return value if choice % 8 == 0 else ids[choice // 8 % len(ids)]


def short(value):
    """What fits into a request line: a target over 8 KiB is refused by the HTTP parser, of which the
    document speaks in its preamble and not at each operation."""
    if isinstance(value, list):
        return [short(each) for each in value[:10]]
    if isinstance(value, str) and len(urllib.parse.quote(value)) > 1_500:
        return value[:100]
    return value


@schemathesis.hook
def before_call(context, case, kwargs):
    places = case.path_parameters
    if isinstance(places, dict):
        for name, value in places.items():
            subject = places.get("subject") if name == "id" else name
            places[name] = real(subject, value)
    if isinstance(case.query, dict):
        for name, value in case.query.items():
            case.query[name] = short(value)
    if case.path == "/v1/auth/logout":
        case.headers.pop("Authorization", None)
    else:
        case.headers["Authorization"] = f"Bearer {os.environ['PROPERTIES_TOKEN']}"


@schemathesis.hook
def after_call(context, case, response):
    with guard:
        counts[response.status_code] += 1
        if response.status_code == 201:
            remember(case.path, response)


def remember(path, response):
    """Keeps the ids of what the run itself made."""
    name = {
        "/v1/me/devices": "device",
        "/v1/stores/{store}/api-tokens": "token",
        "/v1/stores/{store}/members": "user",
    }.get(path)
    if name is None:
        return
    made = response.json()
    ids = known.setdefault(name, [])
    ids.append((made.get("user") or made)["id"])
    del ids[:-KEPT]


def report():
    with open(os.environ["PROPERTIES_COUNTS"], "w", encoding="utf-8") as file:
        json.dump(counts, file)


atexit.register(report)
