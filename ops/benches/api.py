"""Authenticated reads and event posts, beside what the same machine gives at most in the same round:
a static answer of the same server, and pgbench with the same statements."""

import os

from ground import CPU, ROUNDS, SECONDS, Ground

STORES = 16

READ = """\\startpipeline
begin;
select set_config('role', 'sineta_api', true);
select * from sineta.enter('\\x{hash}'::bytea, false);
\\endpipeline
select d.id, d.platform, d.locale from sineta.devices d
  join sineta.sessions s on s.id = d.session_id
  where d.user_id = '{user}' order by d.registered_at desc, d.id desc limit 51;
commit;
"""
INSERT = """\\set n random(1, 1000000000000)
insert into sineta.events (store_id, external_id, id, type, occurred_at, received_at)
  values ('{store}', 'bench-' || :n || '-' || :client_id, gen_random_uuid(), 'orders.paid', now(),
  now());
"""
INSERT_100 = """\\set n random(1, 1000000000000)
insert into sineta.events (store_id, external_id, id, type, occurred_at, received_at)
  select '{store}', 'bench-' || :n || '-' || :client_id || '-' || g, gen_random_uuid(),
    'orders.paid', now(), now() from generate_series(1, 100) g;
"""


def main():
    with Ground() as ground:
        email, password = ground.person("ana")
        shops = [ground.store(f"Store {number}", email) for number in range(STORES)]
        access = ground.sign_in(email, password)
        ground.phones(access)
        senders = {"STORES": ",".join(store for store, _ in shops),
                   "TOKENS": ",".join(token for _, token in shops)}
        row = ground.cluster.rows(
            "select encode(a.hash, 'hex') as hash, s.user_id as user from sineta.access_tokens a"
            " join sineta.sessions s on s.id = a.session_id order by a.expires_at desc limit 1")[0]
        row["store"] = shops[0][0]
        # What is prepared, compiled and connected once is none of the loads' business.
        ground.load("reads.lua", "/v1/me/devices", seconds=1, ACCESS=access)
        ground.load("events.lua", seconds=1, **senders)
        for number in range(1, ROUNDS + 1):
            print(f"round {number}", flush=True)
            show(ground, access, senders, row)


def show(ground, access, senders, row):
    cpu = CPU(ground)
    static = ground.load("reads.lua", "/healthz")
    line("static answer", static.rate, f"{static}  {cpu.each(static.rate * SECONDS)}")
    read_ceiling = ground.ceiling(READ.format(**row), 8)
    for path in ("/v1/me", "/v1/me/devices"):
        cpu = CPU(ground)
        load = ground.load("reads.lua", path, ACCESS=access)
        each = cpu.each(load.rate * SECONDS)
        line(f"GET {path}", load.rate,
             f"{load}  {each}  = {load.rate / static.rate:.2f} of static,"
             f" {load.rate / read_ceiling:.2f} of pgbench ({read_ceiling:.0f}/s)")
    ground.empty()
    one = ground.ceiling(INSERT.format(**row), 8)
    posts(ground, senders, one, "alone")
    ground.start_worker()
    posts(ground, senders, one, "beside a worker that decides and delivers them")
    ground.stop_worker()
    ground.empty()
    hundred = ground.ceiling(INSERT_100.format(**row), 2, rows=100)
    ground.empty()
    cpu = CPU(ground)
    load = ground.load("batches.lua", connections=4, **senders)
    rate = load.rate * 500
    line("batches of 500", rate,
         f"{load}  {cpu.each(rate * SECONDS)}  = {rate / hundred:.2f} of pgbench with 100"
         f" rows ({hundred:.0f}/s), alone, 4 connections")


def posts(ground, senders, ceiling, words):
    ground.empty()
    cpu = CPU(ground)
    load = ground.load("events.lua", **senders)
    line("one event a post", load.rate,
         f"{load}  {cpu.each(load.rate * SECONDS)}  = {load.rate / ceiling:.2f} of"
         f" pgbench's single inserts ({ceiling:.0f}/s), {words}")


def line(name, rate, words):
    print(f"  {name:18} {rate:8.0f}/s  {words}", flush=True)


if __name__ == "__main__":
    print(f"ops/bench: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; 64 connections, {SECONDS:g} s"
          f" each, {STORES} stores")
    main()
