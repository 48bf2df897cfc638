"""Which pushes were leased when: the evidence for what may have been sent twice."""

import threading
import time

from .cluster import Session

EVERY = 0.1


class LeaseWatch:
    """Looks at the leases of a store's pushes ten times a second.

    A push goes out once a lease. It can go out again without an attempt being counted only if its
    lease ended unheard: the worker died or was cut off, and the lease ran out; or a request got no
    answer while the lanes were closed. Such a lease is held far longer than one that ends well, so
    it is seen at least twice. A push that was never held for `least` seconds may not be repeated.
    """

    def __init__(self, cluster, store, least):
        self.session = Session(cluster)
        self.least = least
        self.seen = {}
        self.sql = ("select id, lease_id from sineta.jobs where lease_id is not null"
                    f" and kind = 'push.deliver' and store_id = '{store}'")
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.stopping.wait(EVERY):
            rows = self.session.rows(self.sql)
            now = time.time()
            for row in rows or []:
                key = (row["id"], row["lease_id"])
                self.seen.setdefault(key, [now, now])[1] = now
        self.session.close()

    def stop(self):
        self.stopping.set()
        self.thread.join(10)

    def ends(self, pushes, at):
        """When the leases of these pushes were seen last that stood at that moment."""
        return [last for (push, _), (first, last) in self.seen.items()
                if push in pushes and first <= at <= last]

    def held_long(self):
        """For each push how many of its leases were held for long."""
        counts = {}
        for (push, _), (first, last) in self.seen.items():
            if last - first >= self.least:
                counts[push] = counts.get(push, 0) + 1
        return counts
