"""A PostgreSQL of the run's own: made, restarted, killed and asked, on a Unix socket only."""

import glob
import json
import os
import pwd
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager


class Cluster:
    def __init__(self, home, name="pg"):
        self.folder = os.path.join(home, name)
        self.data = os.path.join(self.folder, "data")
        self.log = os.path.join(self.folder, "log")
        self.mounts = []
        # What the server finds in its environment, at every start.
        self.variables = {}
        os.mkdir(self.folder)
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
        self.bin = os.path.dirname(found[-1] if found else shutil.which("initdb") or "")
        # The server refuses to run as root; its folder is then the package user's.
        self.user = "postgres" if os.geteuid() == 0 else None
        if self.user:
            known = pwd.getpwnam(self.user)
            os.chown(self.folder, known.pw_uid, known.pw_gid)
        os.chmod(self.folder, 0o700)

    def _run(self, program, *arguments, check=True, variables=None):
        command = [os.path.join(self.bin, program), *arguments]
        if self.user:
            command = ["runuser", "-u", self.user, "--", *command]
        # The server inherits nothing that would keep a pipe of ours open.
        with open(os.path.join(self.folder, "tool.log"), "ab") as out:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                  cwd="/", env=os.environ | (variables or {}))
        if check and done.returncode != 0:
            raise RuntimeError(f"{program} failed: see {self.folder}")
        return done.returncode == 0

    def mount(self, name, size):
        """A file system of so many bytes in memory, in the cluster's folder; only for root."""
        path = os.path.join(self.folder, name)
        os.mkdir(path)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "sineta-faults",
                        path], check=True)
        self.mounts.append(path)
        known = pwd.getpwnam(self.user)
        os.chown(path, known.pw_uid, known.pw_gid)
        return path

    def unmount(self):
        for path in self.mounts:
            subprocess.run(["umount", path], check=False)
        self.mounts = []

    def make(self, *options, settings=""):
        self._run("initdb", "-D", self.data, "-U", "postgres", "--auth=trust", "--no-sync",
                  "--encoding=UTF8", "--locale=C.UTF-8", *options)
        with open(os.path.join(self.data, "postgresql.conf"), "a") as file:
            file.write(f"listen_addresses = ''\nunix_socket_directories = '{self.folder}'\n"
                       f"max_connections = 100\nshared_buffers = 64MB\n{settings}")
        self.start()
        for sql in ("create role sineta_owner login createrole", "create role sineta_app login",
                    "create database sineta owner sineta_owner"):
            self.run(sql, database="postgres")

    def start(self, check=True):
        return self._run("pg_ctl", "-D", self.data, "-l", self.log, "-w", "-t", "60", "start",
                         check=check, variables=self.variables)

    def is_whole(self):
        """Whether every page of the stopped cluster, made with checksums, is as it was written."""
        return self._run("pg_checksums", "--check", "-D", self.data, check=False)

    def stop(self, mode="fast"):
        self._run("pg_ctl", "-D", self.data, "-m", mode, "-w", "-t", "60", "stop", check=False)

    def restart(self, mode, pause=0):
        """Stops, waits and starts; returns when it takes connections, and that moment."""
        self.stop(mode)
        time.sleep(pause)
        self.start()
        return time.time()

    def kill_backend(self, random):
        """SIGKILL of one server process: the postmaster then restarts all of them. Returns when the
        new ones take connections, and that moment."""
        sql = "select pid from pg_stat_activity where backend_type = 'checkpointer'"
        before = self.rows(sql)
        backends = self.rows("select pid from pg_stat_activity where usename = 'sineta_app'")
        if not backends:
            return time.time()
        os.kill(random.choice(backends)["pid"], signal.SIGKILL)
        # The old ones may let somebody in for a moment more.
        while not self.accepts() or self.is_old(sql, before):
            time.sleep(0.05)
        return time.time()

    def is_old(self, sql, before):
        try:
            return self.rows(sql) == before
        except RuntimeError:
            return True

    @contextmanager
    def frozen(self):
        """Meanwhile no process of the server moves."""
        with open(os.path.join(self.data, "postmaster.pid")) as file:
            postmaster = int(file.readline())
        # First the one that would start others.
        os.kill(postmaster, signal.SIGSTOP)
        with open(f"/proc/{postmaster}/task/{postmaster}/children") as file:
            children = [int(each) for each in file.read().split()]
        for process in children:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in [postmaster, *children]:
                os.kill(process, signal.SIGCONT)

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


class Session:
    """One psql that stays, for what is asked many times a second. It ends with its connection, and
    the next question makes another."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.psql = None

    def rows(self, sql):
        """The rows; None when there is no server that answers."""
        if self.psql is None or self.psql.poll() is not None:
            self.close()
            self.psql = subprocess.Popen(
                self.cluster.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True)
        try:
            self.psql.stdin.write(f"select coalesce(jsonb_agg(q), '[]') from ({sql}) q;\n")
            self.psql.stdin.flush()
            line = self.psql.stdout.readline()
        except OSError:
            line = ""
        return json.loads(line) if line else None

    def close(self):
        if self.psql is None:
            return
        self.psql.kill()
        self.psql.wait()
        self.psql.stdout.close()
        try:
            self.psql.stdin.close()
        except OSError:
            # What stood in the buffer goes nowhere: its reader is dead.
            self.psql.stdin = None
        self.psql = None
