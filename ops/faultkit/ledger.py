"""What the clients did and were told: for each event its key, and ok, failed or unknown."""

import threading
import time
import uuid

from .http import Unknown


class Ledger:
    """The events of one store. Keys of the seed's stream, so that a run can be repeated."""

    def __init__(self, store, client, random):
        self.store = store
        self.client = client
        self.random = random
        self.lock = threading.Lock()
        self.events = {}
        self.slowest = 0.0
        self.slow_retry_after = 0
        self.refusals = 0

    def post(self, count=1):
        """Posts one new event, or a batch of them; true when it was acknowledged."""
        with self.lock:
            keys = [f"e-{self.random.getrandbits(64):016x}" for _ in range(count)]
            bodies = [self._body(key) for key in keys]
            for key, body in zip(keys, bodies):
                self.events[key] = {"body": body, "state": "pending", "posted_at": time.time()}
        return self._send(keys)

    def _body(self, key):
        order = str(uuid.UUID(int=self.random.getrandbits(128), version=4))
        return {"id": key, "type": "orders.paid", "data": {
            "order_id": order, "number": key[2:8],
            "total": {"amount": "12.50", "currency": "BRL"}}}

    def _send(self, keys):
        bodies = [self.events[key]["body"] for key in keys]
        path = f"/v1/stores/{self.store}/events"
        start = time.time()
        try:
            body = bodies[0] if len(bodies) == 1 else {"events": bodies}
            status, headers, answer = self.client.call("POST", path, body)
        except Unknown:
            self._note(keys, "unknown", start)
            return False
        if status not in (200, 202):
            # A 503 may be a COMMIT whose answer was lost: it too is asked again by its key.
            state = "unknown" if status == 503 else f"failed {status}"
            self.refusals += status == 503
            if status == 503 and int(headers.get("Retry-After", 99)) > 5:
                self.slow_retry_after += 1
            self._note(keys, state, start)
            return False
        lines = [answer] if len(bodies) == 1 else answer["events"]
        self._note(keys, "ok", start)
        for key, line in zip(keys, lines):
            self.events[key].update(
                event_id=line["event_id"], alert_id=line["alert_id"], acked_at=time.time())
        return True

    def _note(self, keys, state, start):
        with self.lock:
            self.slowest = max(self.slowest, time.time() - start)
            for key in keys:
                self.events[key]["state"] = state
                if state == "unknown":
                    self.events[key]["was_unknown"] = True

    def resolve(self, seconds=30):
        """Asks again for every unknown by its key until each has an answer."""
        end = time.time() + seconds
        while time.time() < end:
            open_keys = [k for k, e in self.events.items() if e["state"] in ("unknown", "pending")]
            if not open_keys:
                return True
            for key in open_keys:
                if not self._send([key]):
                    time.sleep(0.1)
        return False

    def of_state(self, state):
        return [event for event in self.events.values() if event["state"] == state]

    @property
    def accepted(self):
        return self.of_state("ok")


class Load:
    """Posts events evenly from some threads until it is told to stop."""

    def __init__(self, ledger, rate, threads=4, batch=1):
        self.ledger = ledger
        self.pause = threads * batch / rate
        self.batch = batch
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self._run, daemon=True) for _ in range(threads)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def _run(self):
        due = time.time()
        while not self.stopping.is_set():
            self.ledger.post(self.batch)
            due = max(due + self.pause, time.time() - 1)
            self.stopping.wait(max(0, due - time.time()))

    def __exit__(self, *_):
        self.stopping.set()
        for thread in self.threads:
            thread.join(15)
