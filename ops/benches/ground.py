"""What a benchmark of the API stands on: a database of its own, `serve` and, when asked, a worker."""

import os
import pathlib
import re
import secrets
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ops"))

from faultkit.house import House  # noqa: E402
from faultkit.http import Client  # noqa: E402

BENCHES = ROOT / "ops" / "benches"
SECONDS = float(os.environ.get("SECONDS_EACH", "10"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))


class Load:
    """What a load at so many connections gave: per second, milliseconds, and refusals."""

    def __init__(self, text):
        self.rate, self.p50, self.p99, self.refused = (float(each) for each in text.split())

    def __str__(self):
        refused = f"  REFUSED {self.refused:.0f}" if self.refused else ""
        return f"p50 {self.p50:.1f} ms  p99 {self.p99:.1f} ms{refused}"


class Ground:
    def __init__(self):
        self.house = House(str(ROOT), os.environ["SINETA_BINARY"], True, "bench")
        self.worker = None

    def __enter__(self):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        try:
            self.house.open()
            # Everybody may come from an address of their own, as behind a proxy.
            self.api = self.house.start(
                ["serve"], TRUSTED_PROXIES="127.0.0.1", **self.house.simulator.variables
            ).wait_ready()
        except BaseException:
            self.house.close(False)
            raise
        return self

    def __exit__(self, *_):
        self.house.close(False)

    @property
    def cluster(self):
        return self.house.cluster

    def start_worker(self):
        self.worker = self.house.start(["worker"], **self.house.simulator.variables).wait_ready()

    def stop_worker(self):
        self.worker.terminate()
        self.worker = None

    # --- people and stores

    def person(self, name):
        email = f"{name}@bench.example"
        line = self.house.command("user", "create", email, name)
        return email, line.rsplit(" ", 1)[1]

    def sign_in(self, email, password):
        status, _, body = Client(self.api.address).call(
            "POST", "/v1/auth/login", {"email": email, "password": password})
        if status != 200:
            raise RuntimeError(f"sign-in: {status} {body}")
        return body["access_token"]

    def phones(self, access):
        session = Client(self.api.address, access)
        for platform in ("ios", "android"):
            session.call("POST", "/v1/me/devices",
                         {"platform": platform, "token": secrets.token_hex(32)})

    def store(self, name, email):
        store = self.house.command("store", "create", name, email).split("\n")[0]
        return store, self.house.command("token", "create", store, "bench").split("\n")[-1]

    # --- loads

    def load(self, script, path="/", connections=64, seconds=None, **environment):
        """Runs wrk, one thread, at so many connections."""
        done = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds or SECONDS:g}s", "--timeout", "30s",
             "-s", str(BENCHES / script), self.api.address + path],
            env=os.environ | environment, capture_output=True, text=True)
        found = re.search(r"^RESULT (.*)$", done.stdout, re.M)
        if not found:
            raise RuntimeError(f"wrk: {done.stdout}{done.stderr}")
        return Load(found.group(1))

    def ceiling(self, sql, clients, rows=1, seconds=None):
        """The same machine's pgbench with a script: rows per second."""
        script = os.path.join(self.house.home, "ceiling.sql")
        with open(script, "w") as file:
            file.write(sql)
        done = subprocess.run(
            [os.path.join(self.cluster.bin, "pgbench"), "-n", "-M", "prepared", "-c", str(clients),
             "-j", "1", "-T", f"{max(1, round(seconds or SECONDS))}", "-f", script,
             "-h", self.cluster.folder, "-U", "postgres", "sineta"],
            capture_output=True, text=True)
        found = re.search(r"^tps = ([\d.]+)", done.stdout, re.M)
        # It goes on with the clients that are left when statements fail.
        if done.returncode or not found:
            raise RuntimeError(f"pgbench: {done.stderr}")
        return float(found.group(1)) * rows

    def empty(self):
        """Every load begins with the same tables."""
        self.cluster.run(
            "truncate sineta.events, sineta.orders, sineta.jobs, sineta.alerts, sineta.deliveries;"
            " checkpoint;")


class CPU:
    """Microseconds of CPU that `serve` and its database connections used for each of many things.

    They say more than rates do on a machine that others use too.
    """

    def __init__(self, ground):
        self.server = ground.api.popen.pid
        self.backends = [row["pid"] for row in ground.cluster.rows(
            "select pid from pg_stat_activity where usename = 'sineta_app'")]
        self.start = self._seconds()

    def each(self, count):
        server, backends = (
            1e6 * (now - before) / max(count, 1)
            for now, before in zip(self._seconds(), self.start))
        return f"CPU {server:.0f} us, PostgreSQL {backends:.0f} us"

    def _seconds(self):
        return self._of([self.server]), self._of(self.backends)

    @staticmethod
    def _of(pids):
        ticks = 0
        for pid in pids:
            try:
                with open(f"/proc/{pid}/stat") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except FileNotFoundError:
                continue
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")
