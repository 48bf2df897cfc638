"""What one fault plays on: a store of its own with phones, an API, workers, and a seeded stream."""

import random
import time
from collections import Counter
from dataclasses import dataclass, field

from .http import Client, Unknown, until
from .invariants import Facts, check
from .ledger import Ledger, Load
from .proxy import Proxy
from .stall import StallWatch
from .watch import LeaseWatch


@dataclass
class Allowance:
    """What a fault may bring, beyond which the promise is broken."""

    # Beside what `repeats_excused` says of each push; None: nothing more.
    duplicates: int | None = None
    # From how many seconds on a lease did not end well; well below lease and provider's deadline.
    long_lease: float = 2.0
    # Repeats by job that the fault itself saw cause for.
    repeats: Counter = field(default_factory=Counter)
    true_clock: bool = True
    attempts: int = 5
    dead: bool = False
    every_device: bool = True
    outcomes: tuple = ("accepted",)
    # What a call may take: an answer within five seconds, and what the client adds to it.
    slowest: float = 5.5


@dataclass
class Report:
    name: str
    injections: int = 0
    accepted: int = 0
    lost: int = 0
    duplicates: int = 0
    gap: float = 0.0
    skipped: str = ""
    broken: list = field(default_factory=list)
    notes: list = field(default_factory=list)


class Stage:
    def __init__(self, house, name, seed, tell):
        self.house = house
        self.cluster = house.cluster
        self.simulator = house.simulator
        self.random = random.Random(f"{seed}-{name}")
        self.tell = tell
        self.report = Report(name)
        self.allow = Allowance()
        self.name = name
        self.workers = []
        self.api = None
        self.watch = None
        self.devices = []
        self.device_ids = []
        self.tokens_ever = set()
        # Whether the inbox is asked for these only, and what it had of each.
        self.tokens_alone = False
        self.kept = {}
        self.logouts = {}
        # The ends that were seen first, by push: none may ever change.
        self.ended_before = {}
        self.settings = {}
        self.people = 0
        self.stall = StallWatch()
        self.simulator.clear()
        self.simulator.empty()

    # --- the scene

    def database_through_proxy(self):
        """From now on API and workers reach the database through `self.proxy`."""
        self.proxy = Proxy(self.cluster.socket)
        self.settings["DATABASE_URL"] = (
            f"postgresql://sineta_app@127.0.0.1:{self.proxy.port}/sineta")

    def providers_through_proxies(self):
        """From now on workers reach APNs and FCM through `self.lines`."""
        self.lines = []
        for name in ("APNS_PRODUCTION_URL", "FCM_URL"):
            host, port = self.simulator.variables[name].split("//")[1].split(":")
            line = Proxy((host, int(port)))
            self.lines.append(line)
            self.settings[name] = f"https://127.0.0.1:{line.port}"
        self.settings["FCM_TOKEN_URL"] = self.settings["FCM_URL"] + "/token"

    def open(self, workers=1, people=1, **settings):
        """The API, workers, and a store whose owner has an iPhone and an Android phone."""
        self.settings.update(self.simulator.variables | self.settings | settings)
        self.start_api()
        for _ in range(workers):
            self.start_worker()
        self.owner = self.person("owner")
        self.store, self.client = self.new_store(f"Store {self.name}")
        self.ledger = Ledger(self.store, self.client, self.random)
        self.watch = LeaseWatch(self.cluster, self.store, self.allow.long_lease)
        self.phones(self.owner)

    def new_store(self, name):
        """A store of the owner, and a client that may post its events."""
        store = self.command("store", "create", name, self.owner["email"]).split("\n")[0]
        token = self.command("token", "create", store, "faults").split("\n")[-1]
        return store, Client(self.api.address, token)

    def command(self, *arguments):
        """One of the command line, on the database of this stage."""
        return self.house.command(*arguments, DATABASE_URL=self.cluster.url("sineta_app"))

    def on_cluster(self, cluster):
        """From now on all is played on this database; it is migrated here."""
        self.cluster = cluster
        self.settings["DATABASE_URL"] = cluster.url("sineta_app")
        self.house.migrate(cluster)

    def start_api(self, wait=True, full_log=False, **settings):
        # After the first start it keeps its port, so that clients find it again.
        known = self.api.address if self.api else None
        port = known.rsplit(":", 1)[1] if known else "0"
        self.api = self.house.start(
            ["serve"], full_log, **(self.settings | settings | {"PORT": port}))
        if full_log or not wait:
            self.api.address = known
        if full_log:
            return until(self.answers, 30)
        return self.api.wait_ready() if wait else self.api

    def answers(self):
        try:
            return Client(self.api.address).call("GET", "/healthz")[0] == 200
        except (Unknown, ValueError):
            return False

    def start_worker(self, wait=True, full_log=False, wrap=(), **settings):
        worker = self.house.start(["worker"], full_log, wrap, **(self.settings | settings))
        wait = wait and not full_log
        if wait:
            worker.wait_ready()
        self.workers.append(worker)
        return worker

    def person(self, word):
        self.people += 1
        email = f"{self.name.lower()}-{word}-{self.people}@faults.example"
        line = self.command("user", "create", email, f"{word} of {self.name}")
        return {"email": email, "password": line.rsplit(" ", 1)[1]}

    def sign_in(self, person):
        # All of them come from one address, which the API lets in a few times a minute only.
        self.cluster.run("delete from sineta.login_networks; delete from sineta.login_counters;")
        client = Client(self.api.address)
        status, _, body = client.call("POST", "/v1/auth/login", {
            "email": person["email"], "password": person["password"]})
        if status != 200:
            raise RuntimeError(f"sign-in: {status} {body}")
        signed_in = Client(self.api.address, body["access_token"])
        signed_in.session, signed_in.refresh_token = body["session"]["id"], body["refresh_token"]
        return signed_in

    def phones(self, person):
        """Signs in and registers an iPhone and an Android phone in that session."""
        session = self.sign_in(person)
        return session, [self.phone(session, "ios"), self.phone(session, "android")]

    def stranger(self, session, platform):
        """Registers a phone of somebody who is not looked at; its id and token."""
        token = "".join(self.random.choice("0123456789abcdef") for _ in range(64))
        status, _, body = session.call(
            "POST", "/v1/me/devices", {"platform": platform, "token": token})
        if status not in (200, 201):
            raise RuntimeError(f"registration: {status} {body}")
        return {"id": body["id"], "token": token, "platform": platform}

    def phone(self, session, platform):
        device = self.stranger(session, platform)
        self.devices.append(device)
        self.device_ids.append(device["id"])
        self.tokens_ever.add(device["token"])
        return device

    def load(self, rate=25, threads=4, batch=1):
        return Load(self.ledger, rate, threads, batch)

    # --- injections

    def injected(self, count=1):
        self.report.injections += count
        self.tell(self.report.injections)

    def pause(self, least, most):
        time.sleep(self.random.uniform(least, most))

    def in_flight(self):
        """The pushes that are leased now."""
        return self.cluster.rows(
            "select id, lease_id from sineta.jobs where lease_id is not null and wake_at > now()"
            f" and kind = 'push.deliver' and store_id = '{self.store}'")

    def resumed(self, since, seconds=30):
        """Waits until an event was taken and a push accepted after that moment, or for so long; how
        long after it that was."""
        def both():
            return (any(event.get("acked_at", 0) > since for event in self.ledger.accepted)
                    and any(each.accepted and each.at > since
                            for each in self.simulator.entries()[-50:]))

        until(both, seconds)
        return time.time() - since

    def lease_seconds(self):
        return float(self.house.environment(self.settings).get("JOB_LEASE_SECONDS", 30))

    def inbox(self):
        if not self.tokens_alone:
            return self.simulator.entries()
        # The inbox keeps the newest 100,000: what was seen once is kept here, and not asked for
        # again, so that looking takes as long at the end as at the start.
        for token in self.tokens_ever:
            kept = self.kept.setdefault(token, [])
            kept += self.simulator.entries(token, after=kept[-1].number if kept else 0)
        return [each for kept in self.kept.values() for each in kept]

    # --- the end

    def remember_ends(self):
        for row in Facts(self.cluster, [], self.store).deliveries:
            self.ended_before.setdefault(row["id"], row)

    def drained(self):
        count = self.cluster.value(
            f"select count(*) as n from sineta.jobs where store_id = '{self.store}'")
        return count == 0

    def settle(self, seconds=90):
        """Heals, lets every call and job come to its end, and checks all invariants."""
        self.simulator.clear()
        if not any(worker.runs for worker in self.workers):
            self.start_worker()
        if not until(self.answers, 10) and not self.api.runs:
            self.start_api()
        self.ledger.resolve()
        self.remember_ends()
        until(self.drained, seconds, pause=0.2)
        self.watch.stop()
        facts = Facts(self.cluster, self.inbox(), self.store)
        broken, surplus = check(facts, self, self.ledger)
        self.report.broken += broken
        self.report.accepted += len(self.ledger.accepted)
        self.report.duplicates += surplus
        self.report.lost += sum("I1" in each for each in broken) and self._lost(facts)
        self.report.gap = max(self.report.gap, self._gap(facts))
        return facts

    def _lost(self, facts):
        return sum(event["event_id"] not in {row["id"] for row in facts.events.values()}
                   for event in self.ledger.accepted)

    def _gap(self, facts):
        """The longest time between two acceptances."""
        times = sorted(each.at for each in facts.inbox if each.accepted)
        return max((later - at for at, later in zip(times, times[1:])), default=0.0)

    def require(self, condition, words):
        if not condition:
            self.report.broken.append(words)

    def note(self, words):
        self.report.notes.append(words)

    def close(self):
        self.stall.stop()
        if self.watch:
            self.watch.stop()
        for process in self.workers + [self.api]:
            if process:
                process.kill()
        # What a broken run left must not be the next one's.
        self.house.cluster.run("delete from sineta.jobs; delete from sineta.lane_states;")
