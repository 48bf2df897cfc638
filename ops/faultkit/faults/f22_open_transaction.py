"""A transaction stays open under load, so that vacuum may take nothing: claims stay quick."""

import subprocess
import time

TITLE = "a transaction left open under load (bloat)"
SMOKE, FULL = None, 1

# Ten minutes are the aim; bloat shows from the first half minute on, and the whole set has an hour.
SECONDS = 150


def play(stage, size):
    stage.open()
    for _ in range(size):
        with stage.load(rate=60, threads=4, batch=10):
            # The same load without it first: what the machine itself takes is no bloat.
            free = share(stage, 15)
            holder = subprocess.Popen(stage.cluster.command(), stdin=subprocess.PIPE,
                                      stdout=subprocess.DEVNULL, text=True)
            holder.stdin.write("begin isolation level repeatable read;"
                               " select count(*) from sineta.jobs;\n")
            holder.stdin.flush()
            try:
                held = share(stage, SECONDS if stage.house.is_full else 45)
            finally:
                holder.stdin.close()
                holder.wait()
        stage.injected()
        stage.require(free >= 0.9, f"{1 - free:.1%} of the claims took more than 50 ms before the"
                      " transaction: the machine is too busy to tell")
        stage.require(held >= min(0.99, free - 0.02),
                      f"{1 - held:.1%} of the claims took more than 50 ms, {1 - free:.1%} before")
        stage.note(f"claims within 50 ms: {free:.1%} before, {held:.1%} beside the transaction")
    stage.settle()


def share(stage, seconds):
    """The part of the claims within 50 ms, in so many seconds."""
    worker, name = stage.workers[0], "sineta_job_claim_seconds"
    before = worker.metric(name + "_count"), worker.bucket(name, 0.05)
    time.sleep(seconds)
    claims = worker.metric(name + "_count") - before[0]
    stage.require(claims >= seconds, f"only {claims:.0f} claims were seen in {seconds} s")
    return (worker.bucket(name, 0.05) - before[1]) / max(1, claims)
