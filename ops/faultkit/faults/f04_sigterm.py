"""A worker is asked to end under load: it finishes what is in flight, gives the rest back, and no
job loses an attempt by it."""

import signal

TITLE = "SIGTERM and restart under load, and a second SIGTERM"
SMOKE, FULL = 3, 15


def play(stage, size):
    # Longer than a machine stands still: an answer that is missed would be an attempt.
    stage.open(PROVIDER_TIMEOUT_SECONDS="10",
               JOB_LEASE_SECONDS="30" if stage.house.is_full else "12")
    stage.simulator.script(delay=0.4)
    slowest = 0.0
    # The leases of workers that did not drain, which run out by themselves.
    orphans = set()
    with stage.load(rate=30):
        for number in range(size):
            stage.pause(0.8, 1.6)
            worker = stage.workers[-1]
            if number % 3 == 2:
                # Somebody does not want to wait: the second signal ends it at once, and its jobs
                # come back by their lease.
                worker.signal(signal.SIGTERM)
                stage.pause(0.01, 0.2)
                code, took = worker.terminate()
                orphans |= {(each["id"], each["lease_id"]) for each in stage.in_flight()}
                stage.require(code in (0, 143) and took < 10,
                              f"the second SIGTERM ended the worker with {code} in {took:.1f} s")
            else:
                code, took = worker.terminate()
                slowest = max(slowest, took)
                left = len([each for each in stage.in_flight()
                            if (each["id"], each["lease_id"]) not in orphans])
                stage.require(code == 0, f"G5: the worker ended with {code}")
                stage.require(left == 0, f"G5: {left} jobs are still leased after the drain")
            stage.start_worker()
            stage.injected()
    stage.require(slowest <= 25, f"G5: the drain took {slowest:.1f} s")
    stage.note(f"drained in {slowest:.1f} s at most")
    facts = stage.settle()
    more = [row for row in facts.deliveries if row["attempts"] != 1]
    stage.require(not more, f"{len(more)} pushes lost an attempt to a drain")
    # The API too: nothing that was acknowledged is lost by its end.
    code, took = stage.api.terminate()
    stage.require(code == 0, f"the API ended with {code}")
