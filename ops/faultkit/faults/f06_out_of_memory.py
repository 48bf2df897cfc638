"""A neighbour takes all memory, and the kernel kills the worker for it: as SIGKILL, at the worst
moment."""

import os
import subprocess
import time

from ..http import until
from ..machine import MemoryGroup, prefer_killing
from .f01_worker_killed import takeover

TITLE = "out-of-memory kill of a worker"
SMOKE, FULL = None, 10


def play(stage, size):
    group = MemoryGroup(os.path.basename(stage.house.home))
    try:
        stage.open(workers=0)
        if not group.folder:
            stage.note("no cgroup can be made here: a limit of the address space instead, which makes"
                       " an allocation fail and is no out-of-memory kill")
        with_load(stage, size, group)
    finally:
        for worker in stage.workers:
            worker.kill()
        group.close()


def with_load(stage, size, group):
    wrap = group.wrap if group.folder else ()
    stage.start_worker(wrap=wrap)
    stage.simulator.script(delay=0.3)
    worst = 0.0
    with stage.load(rate=25):
        for number in range(size):
            stage.pause(0.5, 1.5)
            worker = stage.workers[-1]
            if group.folder:
                starve(stage, group, worker)
            else:
                limit(worker)
            stage.require(worker.popen.poll() is not None, "the worker lives on without memory")
            worker.kill()
            stage.injected()
            # To wait for each takeover at the product's own lease would take all day.
            worst = max(worst, takeover(
                stage, lambda: stage.start_worker(wrap=wrap), waits=number % 5 == 0))
    stage.note(f"takeover after {worst:.1f} s at most, lease {stage.lease_seconds():.0f} s")
    stage.settle()


def starve(stage, group, worker):
    prefer_killing(worker.popen.pid)
    kills = group.kills
    group.limit(group.used + (24 << 20))
    hog = group.hog()
    until(lambda: worker.popen.poll() is not None, 20, pause=0.005)
    hog.kill()
    hog.wait()
    group.unlimited()
    stage.require(group.kills > kills and worker.popen.poll() == -9,
                  "the kernel did not kill the worker for memory")


def limit(worker):
    with open(f"/proc/{worker.popen.pid}/statm") as file:
        size = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    subprocess.run(["prlimit", f"--pid={worker.popen.pid}", f"--as={size}"], check=True)
    until(lambda: worker.popen.poll() is not None, 20)
    time.sleep(0.1)
