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
            _ = try await JobQueue(pool: world.worker).bury(
                [Burial(job: job, reason: "BadTopic", countsAsAttempt: true)],
                deadline: World.deadline)
            let numbers = try await world.rows("select dead_id from sineta.jobs_dead").map {
                try $0.int64(0)
            }
            let preview = try await world.run(as: .operator) { tx in
                try DeadLetterActs.preview(numbers, in: tx)
            }
            #expect(preview.found == 1 && preview.stale == 0 && preview.withoutDevice == 0)
            let id = try #require(device.device)
            _ = try await world.run(shop.owner.credential) { tx in
                try Devices.remove(id, in: tx)
            }
            let (gone, depths, discarded) = try await world.run(as: .operator) { tx in
                (
                    try DeadLetterActs.preview(numbers, in: tx), try Overview.depths(in: tx),
                    try DeadLetterActs.discard(numbers, in: tx)
                )
            }
            #expect(gone.withoutDevice == 1)
            #expect(depths.map(\.dead) == [1])
            #expect(discarded == 1)
            let states = try await world.run(shop.owner.credential) { tx in
                let record = try #require(try AlertRecords.find(shop.id, result.id, in: tx))
                return try PushStates.load(shop.id, record, in: tx)
            }
            #expect(states.values.map(\.state) == [.dead])
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
            _ = await #expect(throws: PostgresError.self) {
                _ = try await world.run(as: .operator) { tx in
                    try tx.query("select content from sineta.alerts")
                }
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
