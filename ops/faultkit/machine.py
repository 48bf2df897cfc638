"""What the machine must offer for some faults: a memory limit, strace, a clock that lies, a network
of its own. Each says plainly what is missing."""

import ctypes
import glob
import os
import shutil
import struct
import subprocess
import sys


def missing(*programs):
    """What to say when a program is not there, or nothing."""
    gone = [name for name in programs if not shutil.which(name)]
    return f"{gone[0]} is not installed: ops/setup --tests installs it" if gone else ""


def not_root():
    return "" if os.geteuid() == 0 else "only root can do this"


class MemoryGroup:
    """A cgroup of the run's own, of either version. A process in it is killed by the kernel when the
    group's memory ends."""

    def __init__(self, name):
        self.folder = self._make(name)
        self.is_second = self.folder and not os.path.exists(self._file("memory.limit_in_bytes"))

    @staticmethod
    def _make(name):
        for root in ("/sys/fs/cgroup/memory", "/sys/fs/cgroup"):
            folder = os.path.join(root, name)
            try:
                os.mkdir(folder)
            except OSError:
                continue
            known = ("memory.limit_in_bytes", "memory.max")
            if any(os.path.exists(os.path.join(folder, each)) for each in known):
                return folder
            os.rmdir(folder)
        return None

    def _file(self, name):
        return os.path.join(self.folder, name)

    def _read(self, name):
        with open(self._file(name)) as file:
            return file.read()

    @property
    def wrap(self):
        """Words before a program that make it start inside."""
        return ["sh", "-c", 'echo $$ >"$0" && exec "$@"', self._file("cgroup.procs")]

    def limit(self, size):
        name = "memory.max" if self.is_second else "memory.limit_in_bytes"
        with open(self._file(name), "w") as file:
            file.write(str(size))

    def unlimited(self):
        self.limit("max" if self.is_second else -1)

    @property
    def used(self):
        return int(self._read("memory.current" if self.is_second else "memory.usage_in_bytes"))

    @property
    def kills(self):
        """How many processes the kernel has killed here."""
        lines = self._read("memory.events" if self.is_second else "memory.oom_control")
        return int(dict(line.split() for line in lines.splitlines())["oom_kill"])

    def hog(self):
        """A neighbour in the group that takes all memory there is."""
        code = ("import time\nheld = []\nwhile True:\n"
                "    held.append(b'x' * (1 << 20))\n    time.sleep(0.001)\n")
        return subprocess.Popen([*self.wrap, sys.executable, "-c", code],
                                stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def close(self):
        if self.folder:
            os.rmdir(self.folder)


def prefer_killing(pid):
    """Among those who share the memory this one is chosen."""
    with open(f"/proc/{pid}/oom_score_adj", "w") as file:
        file.write("1000")


class FalseClock:
    """A file that says by how much the wall clock of whoever starts with `variables` is wrong. What
    is monotonic stays true, as it does when an administrator sets a clock."""

    def __init__(self, path):
        self.path = path
        self.shared = None
        self.files = []
        self.set(0)
        os.chmod(path, 0o644)
        found = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
        self.library = found[0] if found else None

    def set(self, seconds):
        # In one step: a reader must not find half a number.
        with open(self.path + ".new", "w") as file:
            file.write(f"{seconds:+d}")
        os.chmod(self.path + ".new", 0o644)
        os.replace(self.path + ".new", self.path)

    @property
    def variables(self):
        known = {"LD_PRELOAD": self.library, "FAKETIME_TIMESTAMP_FILE": self.path,
                 "FAKETIME_CACHE_DURATION": "1", "DONT_FAKE_MONOTONIC": "1",
                 "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        return known | {"FAKETIME_SHARED": self.shared} if self.shared else known

    def share(self):
        """Makes what the library shares between processes before it does so itself: it would set a
        variable, which moves the environment, beside which Swift looks for its arguments."""
        name = os.path.basename(self.path) + str(os.getpid())
        semaphore = ctypes.CDLL(None, use_errno=True).sem_open
        semaphore.restype = ctypes.c_void_p
        if not semaphore(f"/{name}-lock".encode(), os.O_CREAT, 0o600, 1):
            raise OSError(ctypes.get_errno(), "sem_open")
        self.files = [f"/dev/shm/sem.{name}-lock", f"/dev/shm/{name}"]
        with open(self.files[1], "wb") as file:
            # Four times at which nothing has started yet, and counters.
            file.write(struct.pack("@qq", 0, -1) * 4 + bytes(4096 - 64))
        self.shared = f"/{name}-lock /{name}"
        return self

    def close(self):
        for path in self.files:
            os.unlink(path)

    @property
    def missing(self):
        return "" if self.library else "libfaketime is not installed: ops/setup --tests installs it"
