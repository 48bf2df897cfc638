"""The line to the database breaks in every way: no call hangs, and no answer lies."""

import time

from ..proxy import TO_CLIENT, TO_SERVER

TITLE = "database line: reset at byte N, half-open, delay, one byte at a time, black hole"
# Half of the ways take as long as a call may: 300 of them would be a quarter of an hour.
SMOKE, FULL = 10, 100


def play(stage, size):
    stage.database_through_proxy()
    stage.open()
    long = 6 if stage.house.is_full else 4
    with stage.load(rate=30):
        for number in range(size):
            inject(stage, number % 10, long)
            stage.proxy.clear()
            stage.proxy.reset_all()
            stage.injected()
            stage.pause(0.3, 0.8)
    stage.note(f"slowest call {stage.ledger.slowest:.1f} s")
    stage.settle()


def inject(stage, kind, long):
    proxy, random = stage.proxy, stage.random
    if kind < 4:
        way = random.choice([TO_SERVER, TO_CLIENT])
        proxy.reset_after(random.randrange(1, 4000), way)
        time.sleep(0.4)
    elif kind == 4:
        proxy.reset_at(b"COMMIT\0", TO_CLIENT)
        time.sleep(0.5)
    elif kind == 5:
        proxy.delay = 1.0
        time.sleep(long)
    elif kind == 6:
        proxy.one_byte = True
        time.sleep(1.0)
    elif kind == 7:
        proxy.swallow(random.choice([TO_SERVER, TO_CLIENT]))
        time.sleep(long)
    elif kind == 8:
        proxy.swallow(TO_SERVER, TO_CLIENT)
        time.sleep(long)
    else:
        proxy.stall(TO_SERVER, TO_CLIENT)
        time.sleep(long)
