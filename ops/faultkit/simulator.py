"""The doubles of the providers: their script and their ledger."""

import json
import urllib.request
from datetime import datetime


class Simulator:
    def __init__(self, process, variables):
        self.process = process
        self.address = process.address
        self.variables = variables

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def script(self, **rule):
        self._call("POST", "/script", rule)

    def clear(self):
        self._call("DELETE", "/script")

    def empty(self):
        self._call("DELETE", "/inbox")

    def entries(self, token="", after=0):
        query = f"?after={after}&token={token}"
        return [Entry(each) for each in self._call("GET", "/inbox" + query)]

    def requests(self):
        """How many have arrived, kept or not."""
        return self._call("GET", "/inbox/counts")["requests"]


class Entry:
    """One request as it arrived."""

    def __init__(self, raw):
        self.raw = raw
        self.number = raw["number"]
        self.at = datetime.fromisoformat(raw["at"].replace("Z", "+00:00")).timestamp()
        self.token = raw["token"]
        self.provider = raw["provider"]
        self.headers = raw["headers"]
        body = raw["body"] if isinstance(raw["body"], dict) else {}
        data = body if self.provider == "apns" else body.get("message", {}).get("data", {})
        self.alert = data.get("alert_id")
        self.store = data.get("store_id")
        answered = raw["answered"] or {}
        self.accepted = answered.get("status") == 200 and not answered.get("reason")
        android = body.get("message", {}).get("android", {})
        self.identity = (
            (self.headers.get("apns-id"), self.headers.get("apns-collapse-id"))
            if self.provider == "apns"
            else (android.get("collapse_key"), json.dumps(data, sort_keys=True)))
        self.topic = self.headers.get("apns-topic")
