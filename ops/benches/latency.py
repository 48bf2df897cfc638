"""Posts orders one after the other, waiting between them, and prints how long each push took from the
answer to its event until the simulator had it. Both ends are on one machine and read one clock."""

import datetime
import http.client
import json
import os
import sys
import time
import urllib.parse
import uuid

COUNT = int(os.environ.get("COUNT", "300"))
PAUSE = 0.03


def connect(url):
    parts = urllib.parse.urlsplit(url)
    return http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)


def post(connection, order):
    body = json.dumps({
        "id": f"paid-{order}",
        "type": "orders.paid",
        "data": {
            "order_id": order,
            "number": "1042",
            "total": {"amount": "1234.56", "currency": "BRL"},
            "customer_name": "Ana Souza",
        },
    })
    connection.request(
        "POST", f"/v1/stores/{os.environ['STORE']}/events", body,
        {"Authorization": f"Bearer {os.environ['TOKEN']}", "Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 202:
        sys.exit(f"ops/bench: an event was answered {answer.status}: {text.decode()}")


def arrivals():
    connection = connect(os.environ["INBOX"])
    connection.request("GET", "/inbox")
    found = {}
    for entry in json.loads(connection.getresponse().read()):
        body = entry["body"]
        data = body if entry["provider"] == "apns" else body["message"]["data"]
        at = datetime.datetime.fromisoformat(entry["at"].replace("Z", "+00:00")).timestamp()
        found[(data["order_id"], entry["provider"])] = at
    return found


def main():
    connection = connect(os.environ["API"])
    accepted = {}
    for number in range(COUNT + 10):
        order = str(uuid.uuid4())
        began = time.time()
        post(connection, order)
        # The first ones open connections and fetch tokens.
        if number >= 10:
            accepted[order] = (began, time.time())
        time.sleep(PAUSE)
        if sys.stderr.isatty():
            print(f"\r{number + 1}/{COUNT + 10}", end="", file=sys.stderr)
    deadline = time.time() + 10
    while True:
        found = arrivals()
        missing = [o for o in accepted if (o, "apns") not in found or (o, "fcm") not in found]
        if not missing or time.time() > deadline:
            break
        time.sleep(0.1)
    if missing:
        sys.exit(f"ops/bench: {len(missing)} of {COUNT} orders did not reach both phones")
    if sys.stderr.isatty():
        print("\r", end="", file=sys.stderr)
    for provider in ("apns", "fcm"):
        show(provider, "answer to inbox", [found[(o, provider)] - t[1] for o, t in accepted.items()])
        show(provider, "request to inbox", [found[(o, provider)] - t[0] for o, t in accepted.items()])


def show(provider, span, seconds):
    ordered = sorted(seconds)

    def at(share):
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    print(f"{provider:5} {span:17} p50 {at(0.5):6.1f} ms   p99 {at(0.99):6.1f} ms   "
          f"most {at(1):6.1f} ms   of {len(ordered)}")


main()
