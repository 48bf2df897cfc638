"""Authenticated reads and event posts, beside what the same machine gives at most in the same round:
a static answer of the same server, and pgbench with what the product sends for each."""

import os

from ground import CPU, ROUNDS, SECONDS, Ground
import statements

STORES = 16

# What one group of posts holds at most with so many connections.
GROUP = 64


def main():
    with Ground() as ground:
        email, password = ground.person("ana")
        shops = [ground.store(f"Store {number}", email) for number in range(STORES)]
        access = ground.sign_in(email, password)
        ground.phones(access)
        senders = {"STORES": ",".join(store for store, _ in shops),
                   "TOKENS": ",".join(token for _, token in shops)}
        hashes = {row["store"]: row["hash"] for row in ground.cluster.rows(
            "select store_id as store, '\\x' || encode(hash, 'hex') as hash from sineta.api_tokens")}
        known = [(store, hashes[store]) for store, _ in shops]
        mine = ground.cluster.rows(
            "select encode(hash, 'hex') as hash from sineta.access_tokens"
            " order by expires_at desc limit 1")[0]["hash"]
        # What is prepared, compiled and connected once is none of the loads' business.
        ground.load("reads.lua", "/v1/me/devices", seconds=1, ACCESS=access)
        ground.load("events.lua", seconds=1, **senders)
        for number in range(1, ROUNDS + 1):
            print(f"round {number}", flush=True)
            show(ground, access, senders, mine, known)


def show(ground, access, senders, mine, known):
    cpu = CPU(ground)
    static = ground.load("reads.lua", "/healthz")
    line("static answer", static.rate, f"{static}  {cpu.each(static.rate * SECONDS)}")
    for path, asked in (("/v1/me", statements.me), ("/v1/me/devices", statements.devices)):
        ceiling = ground.ceiling(asked(mine), 8)
        cpu = CPU(ground)
        load = ground.load("reads.lua", path, ACCESS=access)
        each = cpu.each(load.rate * SECONDS)
        line(f"GET {path}", load.rate,
             f"{load}  {each}  = {load.rate / static.rate:.2f} of static,"
             f" {load.rate / ceiling:.2f} of pgbench ({ceiling:.0f}/s)")
    ground.empty()
    one = ground.ceiling(statements.events(known, 1), 8)
    ground.empty()
    group = ground.ceiling(statements.events(known, GROUP), 2, rows=GROUP)
    posts(ground, senders, one, group, "alone")
    ground.start_worker()
    posts(ground, senders, one, group, "beside a worker that decides and delivers them")
    ground.stop_worker()
    ground.empty()
    batch = ground.ceiling(statements.events(known, 500), 4, rows=500)
    ground.empty()
    cpu = CPU(ground)
    load = ground.load("batches.lua", connections=4, **senders)
    rate = load.rate * 500
    line("batches of 500", rate,
         f"{load}  {cpu.each(rate * SECONDS)}  = {rate / batch:.2f} of pgbench"
         f" ({batch:.0f}/s), alone, 4 connections")


def posts(ground, senders, one, group, words):
    ground.empty()
    cpu = CPU(ground)
    load = ground.load("events.lua", **senders)
    line("one event a post", load.rate,
         f"{load}  {cpu.each(load.rate * SECONDS)}  = {load.rate / one:.2f} of"
         f" pgbench with a transaction each ({one:.0f}/s), {load.rate / group:.2f} with {GROUP}"
         f" in each ({group:.0f}/s), {words}")


def line(name, rate, words):
    print(f"  {name:18} {rate:8.0f}/s  {words}", flush=True)


if __name__ == "__main__":
    print(f"ops/bench: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; 64 connections, {SECONDS:g} s"
          f" each, {STORES} stores")
    main()
