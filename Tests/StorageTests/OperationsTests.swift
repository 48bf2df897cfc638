import Alerts
import Jobs
import Postgres
import Storage
import TestKit
import Testing
import Values

@Suite("Operations")
struct OperationsTests {
    @Test("dead letters are previewed, and only a discard writes their end")
    func deadLetters() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let device = try await world.device(of: shop.owner)
            let result = try await world.post(
                shop, World.order(shop, .ordersPaid, "p", order: .v7()))
            try await Decider(world: world).decide()
            let job = try await Decider(world: world).claim(JobKinds.deliver)[0]
            try await world.database.run("update sineta.jobs set losses = 1")
            func state() async throws -> PushState? {
                try await world.run(shop.owner.credential) { tx in
                    let record = try #require(try AlertRecords.find(shop.id, result.id, in: tx))
                    return try PushStates.load(shop.id, record, in: tx).values.first
                }
            }
            let sending = try await state()
            #expect(sending?.state == .sending && sending?.losses == 1)
            #expect(sending?.lane == LaneID(10))
            _ = try await JobQueue(pool: world.worker).bury(
                [Burial(job: job, reason: "BadTopic", countsAsAttempt: true)],
                deadline: World.deadline)
            let dead = try await state()
            #expect(dead?.state == .dead && dead?.isDeadLetter == true && dead?.losses == 1)
            let numbers = try await world.rows("select dead_id from sineta.jobs_dead").map {
                try $0.int64(0)
            }
            let fresh = try await world.run(as: .operator) { tx in
                try DeadLetterActs.assess(numbers, in: tx)
            }
            #expect(fresh.map(\.fate) == [.live] && fresh.map(\.store) == [shop.id])
            let id = try #require(device.device)
            _ = try await world.run(shop.owner.credential) { tx in
                try Devices.remove(id, in: tx)
            }
            let (gone, depths, discarded) = try await world.run(as: .operator) { tx in
                (
                    try DeadLetterActs.assess(numbers, in: tx), try Overview.depths(in: tx),
                    try DeadLetterActs.discard(numbers, in: tx)
                )
            }
            #expect(gone.map(\.fate) == [.noDevice])
            #expect(depths.map(\.dead) == [1])
            #expect(discarded == 1)
            let end = try await state()
            #expect(end?.state == .dead && end?.isDeadLetter == false && end?.losses == 1)
        }
    }

    @Test("a retry tells what is live, stale, without device or accepted, and leaves the accepted")
    func retry() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            for platform in ["ios", "android"] {
                try await world.device(of: shop.owner, platform: platform)
            }
            for name in ["live", "stale", "accepted"] {
                _ = try await world.post(shop, World.order(shop, .ordersPaid, name, order: .v7()))
            }
            try await Decider(world: world).decide()
            let jobs = try await Decider(world: world).claim(JobKinds.deliver)
            #expect(jobs.count == 6)
            _ = try await JobQueue(pool: world.worker).bury(
                jobs.map { Burial(job: $0, reason: "BadTopic", countsAsAttempt: true) },
                deadline: World.deadline)
            // Of each alert two letters, one of a device that is gone.
            try await world.database.run(
                """
                delete from sineta.devices where id = (
                  select target from sineta.jobs_dead order by target limit 1);
                with a as (select distinct subject from sineta.jobs_dead order by subject)
                update sineta.jobs_dead set expires_at = now() - interval '1 second'
                where subject = (select subject from a limit 1);
                with a as (select distinct subject from sineta.jobs_dead order by subject)
                insert into sineta.deliveries (day, store_id, alert_id, device_id, id, user_id,
                  raised_at, attempts, outcome)
                select (raised_at at time zone 'UTC')::date, store_id, subject, target, id, member,
                  raised_at, 1, 'accepted'
                from sineta.jobs_dead where subject = (select subject from a offset 2)
                """)
            let numbers = try await world.rows("select dead_id from sineta.jobs_dead").map {
                try $0.int64(0)
            }
            let (dry, wet) = try await world.run(as: .operator) { tx in
                (
                    try DeadLetterActs.retry(numbers, isDry: true, in: tx),
                    try DeadLetterActs.retry(numbers, in: tx)
                )
            }
            #expect(dry.live == 1 && dry.stale == 2 && dry.noDevice == 1 && dry.accepted == 2)
            #expect(dry.found == 6 && dry.changed == 0 && dry.store == shop.id)
            #expect(wet.changed == 4)
            #expect(try await world.count("select count(*) from sineta.jobs_dead") == 2)
            #expect(
                try await world.count(
                    "select count(*) from sineta.jobs where kind = $1 and lane in (11, 15)",
                    .text(JobKinds.deliver)) == 4)
        }
    }

    @Test("a discard that waits for a letter holds none of a higher number")
    func lockOrder() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            try await world.device(of: shop.owner)
            for name in ["p", "q"] {
                _ = try await world.post(shop, World.order(shop, .ordersPaid, name, order: .v7()))
            }
            try await Decider(world: world).decide()
            let jobs = try await Decider(world: world).claim(JobKinds.deliver)
            _ = try await JobQueue(pool: world.worker).bury(
                jobs.map { Burial(job: $0, reason: "BadTopic", countsAsAttempt: true) },
                deadline: World.deadline)
            // The lowest comes last where rows lie, and would be met last by a plain delete.
            try await world.database.run(
                """
                update sineta.jobs_dead set losses = losses + 1
                where dead_id = (select min(dead_id) from sineta.jobs_dead)
                """)
            let numbers = try await world.rows("select dead_id from sineta.jobs_dead order by 1")
                .map { try $0.int64(0) }
            let lowest = try #require(numbers.first)
            let highest = try #require(numbers.last)
            let discarded = try await world.during(.worker) { tx in
                _ = try tx.query(
                    "select from sineta.jobs_dead where dead_id = $1 for update", .int64(lowest))
            } whileWaitedFor: { tx in
                let free = try tx.query(
                    "select from sineta.jobs_dead where dead_id = $1 for update nowait",
                    .int64(highest))
                #expect(free.count == 1)
            } then: {
                try await world.run(as: .operator) { tx in
                    try DeadLetterActs.discard(numbers, in: tx)
                }
            }
            #expect(discarded == 2)
        }
    }

    @Test("a paused credential is probed at once when an operator asks")
    func probeSoon() async throws {
        try await World.run { world in
            try await world.database.run(
                """
                insert into sineta.lane_states (credential, environment, state, since, next_probe_at)
                values ('apns', 'production', 'paused', now(), now() + interval '15 minutes'),
                  ('apns', 'sandbox', 'paused', now(), now() + interval '15 minutes'),
                  ('fcm', '', 'broken', now(), now() + interval '5 seconds')
                """)
            let asked = try await world.run(as: .operator) { tx in
                try ProviderActs.probeSoon(
                    [
                        Credential(name: "apns", environment: "production"),
                        Credential(name: "fcm"),
                    ], in: tx)
            }
            #expect(asked == 1)
            #expect(
                try await world.count(
                    "select count(*) from sineta.lane_states where next_probe_at <= now()") == 1)
        }
    }

    @Test("the operator sees numbers of all stores and nobody's content")
    func overview() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            _ = try await world.post(shop, World.order(shop, .ordersPaid, "p", order: .v7()))
            let (depths, stores, throughput) = try await world.run(as: .operator) { tx in
                (
                    try Overview.depths(in: tx), try Overview.stores(limit: 9, in: tx),
                    try Overview.throughput(in: tx)
                )
            }
            #expect(depths.map(\.ready) == [1])
            #expect(stores.map(\.waiting) == [1])
            #expect(throughput.isEmpty)
            let listed = try await world.run(as: .operator) { tx in
                try JobQueue.list(limit: 9, in: tx)
            }
            #expect(listed.map(\.kind) == [JobKinds.decide] && listed.map(\.state) == [.ready])
            for content: StaticSQL in [
                "select content from sineta.alerts", "select args from sineta.jobs",
                "select args from sineta.jobs_dead",
            ] {
                let error = await #expect(throws: PostgresError.self) {
                    _ = try await world.run(as: .operator) { tx in try tx.query(content) }
                }
                #expect(error?.sqlState == "42501")
            }
        }
    }

    @Test("what is past its time goes, partitions too, and once-per-order marks stay")
    func retention() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            _ = try await world.post(shop, World.order(shop, .ordersPaid, "p", order: .v7()))
            try await Decider(world: world).decide()
            try await world.database.run(
                """
                update sineta.events set received_at = now() - interval '91 days';
                update sineta.alerts set raised_at = now() - interval '91 days';
                update sineta.access_tokens set expires_at = now() - interval '2 days';
                update sineta.sessions set expires_at = now() - interval '91 days';
                create table sineta.deliveries_20200101 (like sineta.deliveries including all);
                alter table sineta.deliveries_20200101 owner to sineta_keeper;
                alter table sineta.deliveries attach partition sineta.deliveries_20200101
                  for values from ('2020-01-01') to ('2020-01-02');
                """)
            let removed = try await Retention.sweep(
                RetentionPeriods(), pool: world.worker, deadline: World.deadline)
            #expect(removed["events"] == 1)
            #expect(removed["alerts"] == 1)
            #expect(removed["access_tokens"] == 1)
            #expect(removed["sessions"] == 1)
            #expect(try await world.count("select count(*) from sineta.refresh_tokens") == 0)
            #expect(removed["deliveries"] == 1)
            #expect(
                try await Retention.makePartitions(pool: world.worker, deadline: World.deadline)
                    == 0)
            #expect(
                try await Retention.hasTomorrow(pool: world.worker, deadline: World.deadline))
            #expect(
                try await world.count(
                    "select count(*) from sineta.orders where paid_by is not null") == 1)
        }
    }
}
