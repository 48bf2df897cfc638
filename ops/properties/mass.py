"""Property tests of the OpenAPI document against a running server: ops/properties/run starts it.

Three callers send what schemathesis makes of every operation: values at and beyond each limit of the
document, and random ones, good and bad. No answer may be a 5xx, nor have a status, a type or a shape
that the document does not name.
"""

import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
import xml.etree.ElementTree

API = os.environ["API"]
STORE = os.environ["STORE"]
HERE = os.path.dirname(os.path.abspath(__file__))
# How many requests it takes for a run to say something.
LEAST = 5_000
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
)
# Each hashes a password, two at once in the whole server, or waits on purpose: a few are enough.
SLOW = ["/v1/auth/login", "/v1/auth/accept-invite", "/v1/me/password"]
# Caller, which operations (`random`: all, without the limits), random examples of each.
RUNS = [
    ("person", "all", 15),
    ("token", "own", 250),
    ("operator", "own", 100),
    ("token", "random", 6),
    ("operator", "random", 6),
    ("person", "slow", 3),
]


def call(method, path, token=None, body=None):
    request = urllib.request.Request(API + path, method=method)
    request.add_header("Content-Type", "application/json")
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(request, data, timeout=30) as response:
        return json.loads(response.read() or b"null")


def login(email, password):
    answer = call("POST", "/v1/auth/login", body={"email": email, "password": password})
    return answer["access_token"]


def ids(person, operator, token):
    """Ids that exist, by the place in a path where they stand, and those to leave alone."""
    with open("Seeds/events.json", encoding="utf-8") as file:
        seeds = json.load(file)
    found = collections.defaultdict(set)
    for seed in seeds:
        for event in seed["events"]:
            for name in ("order", "conversation", "variant"):
                if f"{name}_id" in event["data"]:
                    found[name].add(event["data"][f"{name}_id"])
    own = call("GET", "/v1/me", person)["id"]
    for store in call("GET", "/v1/me/stores", person)["data"]:
        found["store"].add(store["id"])
    for member in call("GET", f"/v1/stores/{STORE}/members", person)["data"]:
        if member["user"]["id"] != own:
            found["user"].add(member["user"]["id"])
    for platform, device in (("ios", "5e1f" * 16), ("android", "properties:" + "A1b2" * 20)):
        body = {"platform": platform, "token": device}
        found["device"].add(call("POST", "/v1/me/devices", person, body)["id"])
    order = sorted(found["order"])[0]
    for number in range(5):
        event = {
            "id": f"properties-{number}",
            "type": "orders.paid",
            "data": {
                "order_id": order,
                "number": str(number),
                "total": {"amount": "10.00", "currency": "BRL"},
                "customer_name": "Ana",
            },
        }
        answer = call("POST", f"/v1/stores/{STORE}/events", token, event)
        if answer["alert_id"]:
            found["alert"].add(answer["alert_id"])
    result = {name: sorted(values) for name, values in found.items()}
    spared = [own, call("GET", "/v1/me", operator)["id"]]
    for caller in (person, operator):
        spared += [session["id"] for session in call("GET", "/v1/me/sessions", caller)["data"]]
    tokens = call("GET", f"/v1/stores/{STORE}/api-tokens", person)["data"]
    spared += [token["id"] for token in tokens]
    # The demo store is the one where the callers may do most.
    result["store"] = [STORE] * 7 + result["store"]
    return result, spared


def document():
    """The operations that each kind of caller may call, and those whose answer never ends."""
    own = collections.defaultdict(list)
    endless = []
    for path, item in call("GET", "/openapi.json")["paths"].items():
        for method, operation in item.items():
            name = f"{method.upper()} {path}"
            answers = operation["responses"].get("200", {}).get("content", {})
            if "text/event-stream" in answers:
                endless.append(name)
                continue
            for caller in operation["x-callers"]:
                own[caller.split()[0]].append(name)
    return own, endless


def run(caller, scope, examples, token, ids, own, endless):
    """One run of schemathesis; gives its verdict per operation and its answers by status."""
    folder = os.path.join(os.environ["SCRATCH"], f"{caller}-{scope}")
    os.makedirs(folder, exist_ok=True)
    command = [os.path.join(os.path.dirname(sys.executable), "st"), "--config-file",
               os.path.join(HERE, "schemathesis.toml"), "run", API + "/openapi.json"]
    command += ["--checks", CHECKS, "--continue-on-failure", "--max-examples", str(examples)]
    command += ["--workers", "1", "--request-timeout", "20", "--no-color", "--no-shrink"]
    command += ["--report", "junit", "--report-junit-path", f"{folder}/junit.xml"]
    command += ["--seed", os.environ["SEED"]]
    phases = "examples,fuzzing" if scope in ("slow", "random") else "examples,coverage,fuzzing"
    command += ["--phases", phases]
    if scope == "slow":
        command += [word for path in SLOW for word in ("--include-path", path)]
    else:
        command += [word for path in SLOW for word in ("--exclude-path", path)]
        command += [word for name in endless for word in ("--exclude-name", name)]
    if scope == "own":
        names = own[{"token": "store_token", "operator": "operator"}[caller]]
        command += [word for name in names for word in ("--include-name", name)]
    environment = dict(os.environ)
    environment["SCHEMATHESIS_HOOKS"] = os.path.join(HERE, "hooks.py")
    environment["PROPERTIES_TOKEN"] = token
    environment["PROPERTIES_IDS"], environment["PROPERTIES_SPARED"] = map(json.dumps, ids)
    environment["PROPERTIES_COUNTS"] = f"{folder}/counts.json"
    began = time.monotonic()
    with open(f"{folder}/log", "w", encoding="utf-8") as log:
        code = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, env=environment,
                              cwd=folder)
    try:
        with open(f"{folder}/counts.json", encoding="utf-8") as file:
            counts = collections.Counter(json.load(file))
        suite = xml.etree.ElementTree.parse(f"{folder}/junit.xml").getroot()
    except (OSError, xml.etree.ElementTree.ParseError):
        counts, suite = collections.Counter(), []
    cases = [case for case in suite.iter("testcase")] if len(suite) else []
    bad = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    failed = len(bad) or (1 if code.returncode else 0)
    if failed:
        with open(f"{folder}/log", encoding="utf-8") as log:
            print("".join(line[:400].rstrip() + "\n" for line in log.readlines()[:300]))
    seconds = time.monotonic() - began
    print(f"{caller:9} {scope:5} {sum(counts.values()):6} requests of {len(cases):3} operations, "
          f"{seconds:4.0f} s: " + ", ".join(f"{counts[s]} x {s}" for s in sorted(counts)),
          flush=True)
    return len(cases) - len(bad), failed, counts


def main():
    tokens = {
        "person": login(os.environ["EMAIL"], os.environ["PASSWORD"]),
        "token": os.environ["TOKEN"],
        "operator": login(os.environ["OPERATOR"], os.environ["OPERATOR_PASSWORD"]),
    }
    known = ids(tokens["person"], tokens["operator"], tokens["token"])
    own, endless = document()
    passed = failed = 0
    total = collections.Counter()

    def one(line):
        caller, scope, examples = line
        return run(caller, scope, examples, tokens[caller], known, own, endless)

    # Beside each other as processes: threads of one process break CPython 3.11's parser
    # (https://github.com/python/cpython/issues/106905), which hypothesis asks for its labels.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for good, bad, counts in pool.map(one, RUNS):
            passed, failed, total = passed + good, failed + bad, total + counts
    requests = sum(total.values())
    faults = sum(count for status, count in total.items() if int(status) >= 500)
    print(f"{requests} requests in all, {faults} answers of 5xx, seed {os.environ['SEED']}")
    if requests < LEAST:
        print(f"fewer than {LEAST} requests say too little")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
