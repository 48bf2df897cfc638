"""Packets are lost on the way to the database and the providers, and a line of 64 kbit/s: slow, and
nothing wrong."""

import time

from ..network import Network

TITLE = "1, 5 and 20 % of packets lost; 64 kbit/s"
SMOKE, FULL = None, 8

LINES = [0.01, 0.05, 0.2, "64kbit"]


def play(stage, size):
    stage.report.skipped = Network.missing()
    if stage.report.skipped:
        return
    stage.open(workers=0)
    network = Network(f"sf{stage.random.randrange(1 << 24):06x}")
    try:
        settings = {"DATABASE_URL": "postgresql://sineta_app@127.0.0.1:"
                    f"{network.line(stage.cluster.socket)}/sineta"}
        for name in ("APNS_PRODUCTION_URL", "FCM_URL"):
            host, port = stage.simulator.variables[name].split("//")[1].split(":")
            settings[name] = f"https://127.0.0.1:{network.line((host, int(port)))}"
        settings["FCM_TOKEN_URL"] = settings["FCM_URL"] + "/token"
        stage.start_worker(wrap=network.wrap, **settings)
        dropped = suffer(stage, network, size)
        stage.note(f"{dropped} packets dropped")
        stage.require(dropped > 0, "no packet was lost: nothing was tried")
        stage.settle()
    finally:
        for worker in stage.workers:
            worker.kill()
        network.close()


def suffer(stage, network, size):
    dropped = 0
    with stage.load(rate=10, threads=2):
        for number in range(size):
            line = LINES[number % len(LINES)]
            if line == "64kbit":
                network.slow(line)
            else:
                network.lose(line)
            time.sleep(6)
            dropped += network.dropped()
            network.heal()
            stage.injected()
            stage.pause(1, 2)
    return dropped
