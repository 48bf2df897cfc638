"""Everything that one run of the harness stands on: database, simulator, the binary."""

import os
import secrets
import shutil
import subprocess
import tempfile

from .cluster import Cluster
from .process import Process
from .simulator import Simulator

# Scaled, so that a smoke run takes minutes; --full runs with the product's own lease.
QUICK = {"JOB_LEASE_SECONDS": "6", "PROVIDER_TIMEOUT_SECONDS": "3", "BREAKER_PROBE_SECONDS": "0.5",
         "BACKOFF_BASE_SECONDS": "0.2", "PAUSE_BASE_SECONDS": "0.5"}


class House:
    def __init__(self, root, binary, is_full, name="faults"):
        self.root = root
        self.binary = binary
        self.is_full = is_full
        self.home = tempfile.mkdtemp(prefix=f"sineta-{name}.")
        os.chmod(self.home, 0o711)
        self.processes = []
        self.secret = secrets.token_hex(32)
        self.cluster = Cluster(self.home)
        self.clusters = [self.cluster]

    def open(self):
        self.cluster.make()
        self.migrate(self.cluster)
        folder = os.path.join(self.home, "simulator")
        process = self.start(["simulate", "--home", folder], SIMULATOR_PORT="0").wait_ready()
        with open(os.path.join(folder, "env")) as file:
            lines = [line.strip() for line in file if "=" in line and not line.startswith("#")]
        variables = dict(line.split("=", 1) for line in lines)
        self.simulator = Simulator(process, variables)
        self.topic = variables["APNS_TOPIC"]

    def migrate(self, cluster):
        self.command("migrate", DATABASE_URL=cluster.url("sineta_app"),
                     DATABASE_OWNER_URL=cluster.url("sineta_owner"))

    def close(self, keep):
        """Ends what this run started, by its ids alone."""
        for process in self.processes:
            process.kill()
        try:
            for cluster in self.clusters:
                cluster.stop("immediate")
                cluster.unmount()
        finally:
            if not keep:
                shutil.rmtree(self.home, ignore_errors=True)

    def environment(self, settings):
        known = {"PATH": os.environ["PATH"], "SINETA_HOME": self.home, "AUTH_SECRET": self.secret,
                 "DATABASE_URL": self.cluster.url("sineta_app"), "PORT": "0",
                 "METRICS_BIND": "127.0.0.1:0", "EVENTS_PER_SECOND": "0",
                 "REQUESTS_PER_MINUTE": "0", "SWIFT_BACKTRACE": "enable=no",
                 # Each answer that was missed is told, counted or not: the evidence for repeats.
                 "LOG_LEVEL": "debug",
                 "LOCALIZATION_PATH": os.path.join(self.root, "Localization")}
        if not self.is_full:
            known.update(QUICK)
        known.update(settings)
        return known

    def start(self, arguments, full_log=False, wrap=(), **settings):
        log = None if full_log else os.path.join(self.home, f"{arguments[0]}.log")
        process = Process(self.binary, arguments, self.environment(settings), log, wrap)
        self.processes.append(process)
        return process

    def command(self, *arguments, **settings):
        done = subprocess.run([self.binary, *arguments], env=self.environment(settings),
                              capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"sineta {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout.strip()
