"""A worker stands still for longer than its lease and wakes up: it changes nothing any more."""

import signal
import time

from ..http import until

TITLE = "SIGSTOP of a worker for longer than its lease, then SIGCONT"
# One takes longer than the lease, which is 30 s in the full set.
SMOKE, FULL = 1, 5


def play(stage, size):
    stage.open(workers=2)
    fenced = 0
    stage.simulator.script(delay=0.8)
    with stage.load(rate=25):
        for _ in range(size):
            time.sleep(1.0)
            zombie = stage.workers[0]
            before = zombie.metric("sineta_jobs_fenced_total")
            zombie.signal(signal.SIGSTOP)
            time.sleep(stage.lease_seconds() + 4)
            stage.remember_ends()
            zombie.signal(signal.SIGCONT)
            until(lambda: zombie.metric("sineta_jobs_fenced_total") > before, 10)
            fenced += zombie.metric("sineta_jobs_fenced_total") - before
            stage.injected()
    stage.require(fenced > 0, "G6: the zombie's results were not fenced")
    stage.note(f"{fenced:.0f} results of the zombie were dropped")
    stage.settle()
