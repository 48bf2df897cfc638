"""Two random faults at once."""

import signal
import threading
import time

from ..proxy import TO_CLIENT, TO_SERVER

TITLE = "two random faults at once, seeded"
# One that stands still does so for 8 s, or now and then for longer than its lease.
SMOKE, FULL = None, 25


def play(stage, size):
    stage.database_through_proxy()
    stage.open(workers=2)
    names = []
    with stage.load(rate=20):
        for _ in range(size):
            acts = stage.random.sample(ACTS, 2)
            seeds = [stage.random.random() for _ in acts]
            both = [threading.Thread(target=act, args=(stage, seed))
                    for act, seed in zip(acts, seeds)]
            names.append("+".join(act.__name__ for act in acts))
            for each in both:
                each.start()
            for each in both:
                each.join()
            stage.proxy.clear()
            stage.simulator.clear()
            stage.injected()
            stage.pause(0.5, 1.5)
    stage.note(", ".join(names[:12]))
    stage.settle()


def worker_dies(stage, seed):
    worker = stage.workers.pop(int(seed * len(stage.workers)))
    worker.kill()
    stage.start_worker(wait=False)


def worker_stalls(stage, seed):
    worker = stage.workers[int(seed * len(stage.workers))]
    worker.signal(signal.SIGSTOP)
    time.sleep(min(8, stage.lease_seconds() * (0.5 + seed)) if seed < 0.9
               else stage.lease_seconds() + 2)
    remember_ends(stage)
    worker.signal(signal.SIGCONT)


def remember_ends(stage):
    """What others ended meanwhile, the one that wakes must not end again."""
    try:
        stage.remember_ends()
    except RuntimeError:
        # The other fault has the database away.
        return


def api_dies(stage, seed):
    stage.api.kill()
    stage.start_api(wait=False)
    time.sleep(1 + seed)


def database_restarts(stage, seed):
    stage.cluster.restart("fast" if seed < 0.5 else "immediate", pause=seed)


def line_resets(stage, seed):
    for _ in range(4):
        stage.proxy.reset_after(int(1 + seed * 3000), TO_SERVER if seed < 0.5 else TO_CLIENT)
        time.sleep(0.3)


def line_is_cut(stage, seed):
    stage.proxy.swallow(TO_SERVER, TO_CLIENT)
    time.sleep(2 + 2 * seed)
    stage.proxy.clear()
    stage.proxy.reset_all()


def provider_fails(stage, seed):
    stage.simulator.script(provider="apns" if seed < 0.5 else "fcm", status=503, next=50,
                           reason="ServiceUnavailable" if seed < 0.5 else "UNAVAILABLE")
    time.sleep(2)


def connection_goes(stage, seed):
    kind = ["goaway", "close", "refuse_streams"][int(seed * 3)]
    stage.simulator.script(next=2, connection={kind: True})
    time.sleep(1)


ACTS = [worker_dies, worker_stalls, api_dies, database_restarts, line_resets, line_is_cut,
        provider_fails, connection_goes]
