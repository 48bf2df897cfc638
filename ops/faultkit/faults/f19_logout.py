"""Sign-outs race queued sends: what starts later than a second after the 204 goes nowhere."""

import time

TITLE = "logout against queued sends"
SMOKE, FULL = 3, 50


def play(stage, size):
    # Few slots and slow answers: the sends queue.
    stage.open(WORKER_CONCURRENCY="20")
    stage.allow.outcomes = ("accepted", "suppressed")
    stage.allow.every_device = False
    for _ in range(size):
        session, phones = stage.phones(stage.owner)
        stage.simulator.script(delay=0.1)
        for _ in range(3):
            stage.ledger.post(25)
        stage.pause(0.3, 0.8)
        status, _, _ = session.call("POST", "/v1/auth/logout", {})
        at = time.time()
        stage.require(status == 204, f"logout answered {status}")
        for phone in phones:
            stage.logouts[phone["token"]] = at
        stage.injected()
        stage.pause(1.0, 2.0)
        stage.simulator.clear()
    facts = stage.settle()
    suppressed = sum(row["outcome"] == "suppressed" for row in facts.deliveries)
    stage.require(suppressed > 0, "no send was queued when the session ended: nothing was tried")
    stage.note(f"{suppressed} sends were suppressed")
