"""The way between API and database, or worker and provider, is cut, whole or one way: by a line that
swallows what it gets, and by a network that drops each packet, those that would make a connection
too."""

import time

from ..network import Network
from ..proxy import TO_CLIENT, TO_SERVER

TITLE = "partitions: API and worker from the database, worker from the providers, one way"
SMOKE, FULL = None, 12

WAYS = [(TO_SERVER, TO_CLIENT), (TO_SERVER,), (TO_CLIENT,)]
CHAINS = [("INPUT", "OUTPUT"), ("OUTPUT",), ("INPUT",)]
SECONDS = 6
# From the end of a cut to the first push: a connection that is being made waits for its SYN.
LIMIT = 10


def play(stage, size):
    stage.database_through_proxy()
    stage.providers_through_proxies()
    stage.open()
    slowest = 0.0
    with stage.load(rate=15):
        for number in range(size):
            cut = [stage.proxy] if number % 2 == 0 else stage.lines
            for line in cut:
                line.swallow(*WAYS[number % 3])
            time.sleep(SECONDS)
            for line in cut:
                line.clear()
                line.reset_all()
            slowest = max(slowest, stage.resumed(time.time()))
            stage.injected()
            stage.pause(1, 2)
        missing = Network.missing()
        if missing:
            stage.note(f"no packets dropped: {missing}")
        else:
            slowest = max(slowest, drop_packets(stage, size // 2))
    stage.note(f"resumed {slowest:.1f} s after a cut at most,"
               f" slowest call {stage.ledger.slowest:.1f} s")
    stage.require(slowest <= LIMIT, f"it resumed {slowest:.1f} s after a cut")
    stage.settle()


def drop_packets(stage, size):
    """The same to a worker alone, in a network of its own; how long it took to resume."""
    network = Network(f"sf{stage.random.randrange(1 << 24):06x}")
    try:
        place = network.door(stage.cluster.socket)
        settings = {"DATABASE_URL": f"postgresql://sineta_app@{place}/sineta"}
        for name in ("APNS_PRODUCTION_URL", "FCM_URL"):
            host, port = stage.simulator.variables[name].split("//")[1].split(":")
            # The certificate is of the loopback's names.
            settings[name] = f"https://127.0.0.1:{network.line((host, int(port)))}"
        settings["FCM_TOKEN_URL"] = settings["FCM_URL"] + "/token"
        stage.workers[-1].terminate()
        stage.start_worker(wrap=network.wrap, **settings)
        slowest = 0.0
        for number in range(size):
            for chain in CHAINS[number % 3]:
                network.drop(chain)
            time.sleep(SECONDS)
            stage.require(network.dropped() > 0, "no packet was dropped: nothing was tried")
            network.heal()
            slowest = max(slowest, stage.resumed(time.time()))
            stage.injected()
            stage.pause(1, 2)
        return slowest
    finally:
        stage.workers[-1].terminate()
        network.close()
