"""Just enough of a client: a connection that stays, a deadline, and what came of a call."""

import http.client
import json
import threading
import time
from urllib.parse import urlsplit


class Unknown(Exception):
    """No answer: it may have happened."""


class Client:
    """One connection per thread."""

    def __init__(self, address, token=None, timeout=12):
        self.host = urlsplit(address).netloc
        self.token = token
        self.timeout = timeout
        self.local = threading.local()

    def call(self, method, path, body=None, token=None, headers=None):
        """(status, headers, JSON); raises Unknown."""
        headers = {"Content-Type": "application/json"} | (headers or {})
        if token or self.token:
            headers["Authorization"] = f"Bearer {token or self.token}"
        data = None if body is None else json.dumps(body).encode()
        connection = getattr(self.local, "connection", None)
        for _ in range(2):
            fresh = connection is None
            if fresh:
                connection = http.client.HTTPConnection(self.host, timeout=self.timeout)
                self.local.connection = connection
            try:
                connection.request(method, path, data, headers)
                answer = connection.getresponse()
                text = answer.read()
                return answer.status, answer.headers, json.loads(text) if text else None
            except (OSError, http.client.HTTPException, ValueError) as error:
                connection.close()
                self.local.connection = connection = None
                # A connection that was left idle and is closed took nothing with it, and what could
                # not be sent to its end was not read to its end either.
                if fresh or not isinstance(
                        error, (http.client.RemoteDisconnected, BrokenPipeError)):
                    raise Unknown(f"{type(error).__name__}: {error}") from error
        raise Unknown("closed")


def until(condition, seconds, pause=0.05):
    """Waits for a condition; what it gave, or None."""
    end = time.time() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.time() > end:
            return None
        time.sleep(pause)
