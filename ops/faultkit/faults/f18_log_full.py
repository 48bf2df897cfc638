"""The disk of the log is full: every write of a line fails, and the service goes on."""

import time

TITLE = "log on a full disk"
SMOKE, FULL = None, 1


def play(stage, size):
    stage.open()
    for worker in stage.workers:
        worker.terminate()
    stage.api.terminate()
    # Once it is ready nobody reads the log any more: a write meets a full device.
    stage.start_api(full_log=True)
    stage.start_worker(full_log=True)
    with stage.load(rate=20):
        for _ in range(size):
            stage.simulator.script(next=5, status=503, reason="ServiceUnavailable")
            time.sleep(5)
            stage.injected()
    stage.require(stage.api.runs and all(worker.runs for worker in stage.workers[1:]),
                  "a process ended because it could not log")
    stage.settle()
