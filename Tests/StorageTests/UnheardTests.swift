import Alerts
import Jobs
import Postgres
import Storage
import TestKit
import Testing
import Values

@Suite("Alerts that reached nobody")
struct UnheardTests {
    /// Ends the pushes that are due, each as told, and buries those of nil. Gives their jobs.
    @discardableResult
    private func end(
        _ world: World, _ outcomes: [PushEnd.Outcome?]
    ) async throws -> [HeldJob] {
        let jobs = try await Decider(world: world).claim(JobKinds.deliver)
        #expect(jobs.count >= outcomes.count)
        let ends = zip(jobs, outcomes)
        let finished = ends.compactMap { job, outcome in
            outcome.map { PushEnd(job: job, outcome: $0, provider: "apns", reason: "x") }
        }
        _ = try await Deliveries.finish(
            finished, pool: world.worker, deadline: World.deadline)
        let buried = ends.compactMap { job, outcome in
            outcome == nil ? Burial(job: job, reason: "BadTopic", countsAsAttempt: true) : nil
        }
        _ = try await JobQueue(pool: world.worker).bury(buried, deadline: World.deadline)
        return jobs
    }

    private func raise(_ world: World, _ shop: Shop, phones: Int) async throws -> AlertID {
        for platform in ["ios", "android"].prefix(phones) {
            try await world.device(of: shop.owner, platform: platform)
        }
        let result = try await world.post(shop, World.order(shop, .ordersPaid, "p", order: .v7()))
        try await Decider(world: world).decide()
        return AlertID(result.id.uuid)
    }

    private func mark(_ world: World, _ shop: Shop, _ alert: AlertID) async throws -> [String] {
        try await UnheardAlerts.mark(
            [(shop.id, alert)], pool: world.worker, deadline: World.deadline)
    }

    private func listed(_ world: World, _ shop: Shop) async throws -> [AlertID] {
        try await world.run(shop.owner.credential) { transaction in
            var filter = AlertFilter()
            filter.isUnheard = true
            return try AlertRecords.list(shop.id, filter, after: nil, limit: 9, in: transaction)
                .map(\.id)
        }
    }

    @Test(
        "an alert is unheard once none of its pushes is left and none was accepted",
        arguments: [
            ([.rejected], false), ([.rejected, .accepted], false), ([.accepted, nil], false),
            ([.rejected, .expired], true), ([nil, .suppressed], true), ([nil, nil], true),
        ] as [([PushEnd.Outcome?], Bool)])
    func marked(outcomes: [PushEnd.Outcome?], isUnheard: Bool) async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let alert = try await raise(world, shop, phones: 2)
            #expect(try await mark(world, shop, alert) == [], "its pushes wait")
            try await end(world, outcomes)
            #expect(try await mark(world, shop, alert) == (isUnheard ? ["orders.paid"] : []))
            #expect(try await mark(world, shop, alert) == [], "it is marked once")
            #expect(try await listed(world, shop) == (isUnheard ? [alert] : []))
        }
    }

    @Test("what nobody marked at the end is found later, and a retry waits for it again")
    func sweptAndRetried() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let alert = try await raise(world, shop, phones: 1)
            try await end(world, [nil])
            let swept = try await UnheardAlerts.sweep(
                pool: world.worker, deadline: World.deadline)
            #expect(swept == ["orders.paid"])
            #expect(try await listed(world, shop) == [alert])
            let numbers = try await world.rows("select dead_id from sineta.jobs_dead").map {
                try $0.int64(0)
            }
            let tally = try await world.run(as: .operator) { transaction in
                try DeadLetterActs.retry(numbers, in: transaction)
            }
            #expect(tally.changed == 1)
            #expect(try await listed(world, shop) == [])
            try await end(world, [.rejected])
            #expect(try await mark(world, shop, alert) == ["orders.paid"])
        }
    }
}
