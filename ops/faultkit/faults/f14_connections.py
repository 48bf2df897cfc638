"""What a provider's connection may do under load: nothing is lost, and what was not processed
costs no attempt."""

import time

TITLE = "GOAWAY, refused streams, one stream, frozen connection, TLS close"
SMOKE, FULL = 7, 30

ACCIDENTS = [
    ({"goaway": True}, True), ({"goaway": "notice"}, True), ({"goaway": 0}, True),
    ({"refuse_streams": 3}, True), ({"max_concurrent_streams": 1}, True),
    ({"close": True}, False), ({"freeze": True}, False),
]


def play(stage, size):
    # Longer than a machine stands still: an answer that is missed would be an attempt.
    stage.open(PROVIDER_TIMEOUT_SECONDS="10",
               JOB_LEASE_SECONDS="30" if stage.house.is_full else "12")
    stage.allow.attempts = 3
    harmless = {}
    with stage.load(rate=40):
        time.sleep(1)
        for number in range(size):
            accident, is_free = ACCIDENTS[number % len(ACCIDENTS)]
            provider = stage.random.choice(["apns", "fcm"])
            before = time.time()
            stage.simulator.script(provider=provider, next=1, connection=accident)
            # A frozen connection is noticed by its request's deadline.
            time.sleep(11.5 if "freeze" in accident else 1.2)
            if is_free:
                harmless[before] = time.time()
            stage.injected()
            if number == len(ACCIDENTS) - 1:
                memory = stage.workers[-1].memory()
        grown = stage.workers[-1].memory() - memory
    facts = stage.settle()
    tried = [row for row in facts.deliveries if row["attempts"] > 1]
    events = {event["alert_id"]: event["acked_at"] for event in stage.ledger.accepted}
    guilty = [row for row in tried
              if any(start <= events.get(row["alert_id"], 0) < end - 0.5
                     for start, end in harmless.items())]
    stage.require(not guilty, f"{len(guilty)} pushes lost an attempt to what was not processed")
    stage.note(f"{len(tried)} pushes were tried more than once, longest gap {stage.report.gap:.1f} s,"
               f" the worker has {memory:.0f} MiB and grew by {grown:.0f} MiB after the first round")
    # The smoke set runs on machines that other work may slow.
    stage.require(stage.report.gap <= 2 or not stage.house.is_full,
                  f"for {stage.report.gap:.1f} s nothing was sent")
    stage.require(grown <= 16, f"the worker's memory grew by {grown:.0f} MiB")
