"""One process of Sineta: started, signalled by its id alone, and asked for its metrics."""

import json
import os
import re
import signal
import subprocess
import threading
import time
import urllib.request


class Process:
    """`log` is where its lines are kept; None: a device that is full from the first line on.

    `wrap` are words before the program that end in its being executed under the same id."""

    def __init__(self, binary, arguments, environment, log, wrap=()):
        self.name = arguments[0]
        command = [*wrap, binary, *arguments]
        self.log = log
        self.address = None
        self._ready = threading.Event()
        if log is None:
            with open("/dev/full", "wb") as full:
                self.popen = subprocess.Popen(
                    command, env=environment, stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=full, start_new_session=True)
            return
        self.popen = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        with open(self.log, "ab") as file:
            for line in self.popen.stderr:
                file.write(line)
                file.flush()
                if b'"ready"' in line:
                    try:
                        self.address = json.loads(line).get("address")
                    except ValueError:
                        continue
                    self._ready.set()
        self._ready.set()

    def wait_ready(self, seconds=30):
        if not self._ready.wait(seconds) or self.address is None:
            raise RuntimeError(f"{self.name} did not come up: see {self.log}")
        return self

    @property
    def runs(self):
        return self.popen.poll() is None

    def signal(self, number):
        if self.runs:
            os.kill(self.popen.pid, number)

    def kill(self):
        self.signal(signal.SIGKILL)
        self.popen.wait()

    def terminate(self, seconds=40):
        """SIGTERM; the exit code and how long it took."""
        start = time.time()
        self.signal(signal.SIGTERM)
        try:
            code = self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            code = None
        return code, time.time() - start

    def threads(self):
        """The names of its threads."""
        folder = f"/proc/{self.popen.pid}/task"
        names = []
        for number in os.listdir(folder):
            with open(f"{folder}/{number}/comm") as file:
                names.append(file.read().strip())
        return names

    def memory(self):
        """Its resident memory in MiB."""
        with open(f"/proc/{self.popen.pid}/status") as file:
            lines = dict(line.split(":", 1) for line in file if ":" in line)
        return int(lines["VmRSS"].split()[0]) / 1024

    def metric(self, name):
        """The sum of a family's samples."""
        pattern = re.compile(rf"^{name}(?:\{{[^}}]*\}})? ([\d.e+-]+)$", re.M)
        return sum(float(each) for each in pattern.findall(self._metrics()))

    def bucket(self, name, limit):
        """How many observations of a histogram were at most so large."""
        pattern = re.compile(rf'^{name}_bucket\{{[^}}]*le="([^"]+)"[^}}]*\}} ([\d.e+-]+)$', re.M)
        found = [(float(le), float(count)) for le, count in pattern.findall(self._metrics())]
        at = max((le for le, _ in found if le <= limit + 1e-9), default=None)
        return sum(count for le, count in found if le == at)

    def _metrics(self):
        match = re.search(r"[\d.\[\]:a-f]+:\d+", self.address)
        url = f"http://{match.group(0)}/metrics"
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.read().decode()
