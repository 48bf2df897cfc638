"""A line of 64 kbit/s, and one that stutters: slow, and nothing wrong."""

import time

TITLE = "slow and stuttering lines to the database and the providers"
SMOKE, FULL = None, 6


def play(stage, size):
    stage.database_through_proxy()
    stage.providers_through_proxies()
    stage.open()
    with stage.load(rate=3, threads=2):
        for number in range(size):
            line = stage.random.choice([stage.proxy, *stage.lines])
            if number % 2 == 0:
                line.rate = 8000
            else:
                line.delay = stage.random.uniform(0.05, 0.3)
            time.sleep(5)
            line.clear()
            stage.injected()
    stage.allow.duplicates = len(stage.ledger.accepted) * 2
    stage.settle()
