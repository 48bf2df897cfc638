"""The API dies in a request, before COMMIT, and after COMMIT with the answer lost."""

import threading
import time

from ..proxy import TO_CLIENT, TO_SERVER

TITLE = "SIGKILL of the API in a request and in COMMIT"
SMOKE, FULL = 6, 60


def play(stage, size):
    stage.database_through_proxy()
    stage.open()
    with stage.load(rate=40):
        for number in range(size):
            stage.pause(0.2, 0.6)
            way = number % 3
            if way == 0:
                stage.api.kill()
            else:
                seen = threading.Event()

                def strike():
                    if not seen.is_set() and stage.api.runs:
                        stage.api.signal(9)
                    seen.set()

                # The answer to COMMIT is held back and the API killed in that moment; or it dies
                # after a random number of bytes of what it says.
                if way == 1:
                    stage.proxy.reset_at(b"COMMIT\0", TO_CLIENT, strike)
                    stage.require(seen.wait(10), "no COMMIT was seen to strike at")
                else:
                    stage.proxy.reset_after(stage.random.randrange(1, 6000), TO_SERVER)
                    time.sleep(0.2)
                stage.api.kill()
            stage.proxy.clear()
            stage.injected()
            stage.start_api()
    unknown = sum("was_unknown" in each for each in stage.ledger.events.values())
    stage.note(f"{unknown} calls had no answer, each resolved by its key")
    stage.settle()
