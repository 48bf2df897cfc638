"""The disk of the database is full, of its data and of its log: refused, never corrupt, and all goes
on once there is room and the supervisor has started it again."""

import os
import time

from ..cluster import Cluster
from ..http import until
from ..machine import not_root

TITLE = "PGDATA full, WAL full"
SMOKE, FULL = None, 4

MEBIBYTE = 1 << 20


def play(stage, size):
    stage.report.skipped = not_root()
    if stage.report.skipped:
        return
    cluster = Cluster(stage.house.home, "small")
    stage.house.clusters.append(cluster)
    data = cluster.mount("disk", 260 * MEBIBYTE)
    log = cluster.mount("wal", 80 * MEBIBYTE)
    cluster.data = os.path.join(data, "data")
    # Segments are small and come anew, not out of a store that was filled in better times.
    cluster.make("--data-checksums", f"--waldir={log}/wal", "--wal-segsize=1",
                 settings="min_wal_size = 2MB\nmax_wal_size = 48MB\nwal_recycle = off\n")
    stage.on_cluster(cluster)
    stage.open()
    worst = 0.0
    with stage.load(rate=60, threads=6, batch=5):
        for number in range(size):
            stage.pause(2, 3)
            place = log if number % 2 else data
            worst = max(worst, fill(stage, cluster, place, "WAL" if number % 2 else "data"))
            stage.injected()
    stage.note(f"went on {worst:.1f} s after there was room, slowest call"
               f" {stage.ledger.slowest:.1f} s")
    stage.settle()
    for process in stage.workers + [stage.api]:
        process.kill()
    cluster.stop("fast")
    stage.require(cluster.is_whole(), f"a page is damaged: see {cluster.folder}")
    cluster.unmount()


def fill(stage, cluster, place, name):
    """Until events are refused, and then some; how long it took from room to the next acceptance."""
    ballast = os.path.join(place, "ballast")
    refused = stage.ledger.refusals
    with open(ballast, "wb", buffering=0) as file:
        block = b"\0" * (64 << 10)
        end = time.time() + 60
        # Whoever gives something back has it taken again.
        while stage.ledger.refusals < refused + 20 and time.time() < end:
            try:
                file.write(block)
            except OSError:
                time.sleep(0.02)
    stage.require(stage.ledger.refusals > refused, f"{name} full: nothing was refused")
    time.sleep(2)
    os.unlink(ballast)
    free_at = time.time()
    cluster.stop("fast")
    cluster.start()

    def resumed():
        return any(event.get("acked_at", 0) > free_at for event in stage.ledger.accepted) and any(
            each.accepted and each.at > free_at for each in stage.simulator.entries()[-100:])

    done = until(resumed, 60)
    took = time.time() - free_at
    stage.require(done and took <= 30, f"G15: {name} full: it went on after {took:.1f} s")
    return took
