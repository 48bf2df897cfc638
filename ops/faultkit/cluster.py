"""A PostgreSQL of the run's own: made, restarted, killed and asked, on a Unix socket only."""

import glob
import json
import os
import pwd
import shutil
import signal
import subprocess
import time


class Cluster:
    def __init__(self, home):
        self.folder = os.path.join(home, "pg")
        self.data = os.path.join(self.folder, "data")
        self.log = os.path.join(self.folder, "log")
        os.mkdir(self.folder)
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
        self.bin = os.path.dirname(found[-1] if found else shutil.which("initdb") or "")
        # The server refuses to run as root; its folder is then the package user's.
        self.user = "postgres" if os.geteuid() == 0 else None
        if self.user:
            known = pwd.getpwnam(self.user)
            os.chown(self.folder, known.pw_uid, known.pw_gid)
        os.chmod(self.folder, 0o700)

    def _run(self, program, *arguments, check=True, environment=None):
        command = [os.path.join(self.bin, program), *arguments]
        if self.user:
            command = ["runuser", "-u", self.user, "--", *command]
        # The server inherits nothing that would keep a pipe of ours open.
        with open(os.path.join(self.folder, "tool.log"), "ab") as out:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                  cwd="/", env=environment)
        if check and done.returncode != 0:
            raise RuntimeError(f"{program} failed: see {self.folder}")
        return done.returncode == 0

    def make(self):
        self._run("initdb", "-D", self.data, "-U", "postgres", "--auth=trust", "--no-sync",
                  "--encoding=UTF8", "--locale=C.UTF-8")
        with open(os.path.join(self.data, "postgresql.conf"), "a") as file:
            file.write(f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\n"
                       "max_connections = 100\nshared_buffers = 64MB\n")
        self.start()
        for sql in ("create role sineta_owner login createrole", "create role sineta_app login",
                    "create database sineta owner sineta_owner"):
            self.run(sql, database="postgres")

    def start(self, environment=None):
        self._run("pg_ctl", "-D", self.data, "-l", self.log, "-w", "-t", "60", "start",
                  environment=environment)

    def stop(self, mode="fast"):
        self._run("pg_ctl", "-D", self.data, "-m", mode, "-w", "-t", "60", "stop", check=False)

    def restart(self, mode, pause=0):
        """Stops, waits and starts; returns when it takes connections, and that moment."""
        self.stop(mode)
        time.sleep(pause)
        self.start()
        return time.time()

    def kill_backend(self, random):
        """SIGKILL of one server process: the postmaster then restarts all of them."""
        backends = self.rows("select pid from pg_stat_activity where usename = 'sineta_app'")
        if backends:
            os.kill(random.choice(backends)["pid"], signal.SIGKILL)
        while not self.accepts():
            time.sleep(0.05)
        return time.time()

    def accepts(self):
        return self._run("pg_isready", "-q", "-h", self.folder, check=False)

    def url(self, role):
        return f"postgresql://{role}@/sineta?host={self.folder}"

    @property
    def socket(self):
        return os.path.join(self.folder, ".s.PGSQL.5432")

    def command(self, database="sineta"):
        return [os.path.join(self.bin, "psql"), "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1",
                "-h", self.folder, "-U", "postgres", "-d", database]

    def run(self, sql, database="sineta"):
        done = subprocess.run(self.command(database), input=sql, text=True, capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"psql: {done.stderr.strip()}")
        return done.stdout

    def rows(self, sql):
        """The rows as dictionaries; the superuser sees all stores."""
        text = self.run(f"select coalesce(json_agg(q), '[]') from ({sql}) q")
        return json.loads(text)

    def value(self, sql):
        return next(iter(self.rows(sql)[0].values()))
