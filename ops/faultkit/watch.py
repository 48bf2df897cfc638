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
        self.every = EVERY
        self.seen = {}
        # By the two indexes of what is leased or put off, which together hold it all: reading the
        # whole of a long queue ten times a second would be a fault of its own.
        lost = "losses + (lease_id is not null)::integer"
        self.sql = " union all ".join(
            "select j.id, j.lease_id from sineta.lanes l join sineta.jobs j on j.lane = l.id"
            f" where l.kind = 'push.deliver' and j.wake_at is not null and {lost} {side} 2"
            f" and j.lease_id is not null and j.store_id = '{store}'" for side in ("<", ">="))
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.stopping.wait(self.every):
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
