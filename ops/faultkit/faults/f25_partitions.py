"""The way between API and database, or worker and provider, is cut, whole or one way."""

import time

from ..proxy import TO_CLIENT, TO_SERVER

TITLE = "partitions: API and worker from the database, worker from the providers, one way"
SMOKE, FULL = None, 12

WAYS = [(TO_SERVER, TO_CLIENT), (TO_SERVER,), (TO_CLIENT,)]


def play(stage, size):
    stage.database_through_proxy()
    stage.providers_through_proxies()
    stage.open()
    with stage.load(rate=15):
        for number in range(size):
            ways = WAYS[number % 3]
            cut = [stage.proxy] if number % 2 == 0 else stage.lines
            for line in cut:
                line.swallow(*ways)
            time.sleep(6)
            for line in cut:
                line.clear()
                line.reset_all()
            stage.injected()
            stage.pause(1, 2)
    stage.settle()
