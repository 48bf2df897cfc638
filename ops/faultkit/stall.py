"""How long the machine itself stood still: what a promise of seconds cannot be held against."""

import threading
import time

EVERY = 0.05


class StallWatch:
    """Waits over and over for a moment; what a wait takes longer than asked, all of this machine took
    longer."""

    def __init__(self):
        self.stalls = []
        self.stopping = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        last = time.monotonic()
        while not self.stopping.wait(EVERY):
            now = time.monotonic()
            if now - last > 4 * EVERY:
                self.stalls.append((time.time(), now - last - EVERY))
            last = now

    def longest(self, start, end):
        """The longest stall, in seconds, of which a part lies between these moments."""
        return max((took for at, took in self.stalls if start <= at <= end + took), default=0.0)

    def stop(self):
        self.stopping.set()
