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

    @Test("of a large audience an alert is unheard once the pushes of all chunks have ended so")
    func chunks() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let (first, second) = try await halves(world, shop)
            #expect(try await save(world, 0, of: first, cursor: Array("{}".utf8)))
            try await end(world, [.rejected])
            #expect(try await save(world, 1, of: second, cursor: nil))
            #expect(try await mark(world, shop, first.alert.id) == [], "the second chunk's waits")
            try await end(world, [.rejected])
            #expect(try await mark(world, shop, first.alert.id) == ["orders.paid"])
        }
    }

    @Test("a chunk takes away the mark of those before it")
    func chunkAfterMark() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let (first, second) = try await halves(world, shop)
            #expect(try await save(world, 0, of: first, cursor: Array("{}".utf8)))
            try await end(world, [.rejected])
            #expect(try await mark(world, shop, first.alert.id) == ["orders.paid"])
            #expect(try await save(world, 1, of: second, cursor: nil))
            #expect(try await listed(world, shop) == [])
            try await end(world, [.accepted])
            #expect(try await mark(world, shop, first.alert.id) == [])
        }
    }

    @Test("an alert is not marked whose letter goes back to work at the same time")
    func whileRetried() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let alert = try await raise(world, shop, phones: 1)
            try await end(world, [nil])
            let letters = try await letters(world)
            let marked = try await world.during(.operator) { transaction in
                _ = try DeadLetterActs.retry(letters, in: transaction)
            } then: {
                try await mark(world, shop, alert)
            }
            #expect(marked == [])
            #expect(try await listed(world, shop) == [])
        }
    }

    @Test("an alert is not marked that gets pushes of its next chunk at the same time")
    func whileDecided() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let alert = try await raise(world, shop, phones: 1)
            let push = try await end(world, [.rejected])[0].id
            // What `Decisions` writes of a chunk, as far as it matters here.
            let marked = try await world.during(.worker) { transaction in
                _ = try transaction.query(
                    """
                    insert into sineta.alert_parts (store_id, alert_id, part, decisions, recipients)
                    values ($1, $2, 1,
                      jsonb_build_array(jsonb_build_object('devices',
                        jsonb_build_array(jsonb_build_object('push_id', $3::uuid)))), '{}')
                    """, .id(shop.id), .id(alert), .id(push))
                _ = try transaction.query(
                    """
                    update sineta.alerts set parts = 1, is_unheard = is_unheard and false
                    where store_id = $1 and id = $2
                    """, .id(shop.id), .id(alert))
                _ = try transaction.query(
                    """
                    insert into sineta.jobs (id, store_id, subject, kind)
                    values ($1, $2, $3, 'push.deliver')
                    """, .id(push), .id(shop.id), .id(alert))
            } then: {
                try await mark(world, shop, alert)
            }
            #expect(marked == [])
            #expect(try await listed(world, shop) == [])
        }
    }

    @Test("a retry takes away the mark that was made while it waited")
    func retriedWhileMarked() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let alert = try await raise(world, shop, phones: 1)
            try await end(world, [nil])
            let letters = try await letters(world)
            let tally = try await world.during(.worker) { transaction in
                _ = try transaction.query(
                    "update sineta.alerts set is_unheard = true where id = $1", .id(alert))
            } then: {
                try await world.run(as: .operator) { transaction in
                    try DeadLetterActs.retry(letters, in: transaction)
                }
            }
            #expect(tally.changed == 1)
            #expect(try await listed(world, shop) == [])
        }
    }

    @Test("only alerts that look unheard are held")
    func heldOnly() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let alert = try await raise(world, shop, phones: 2)
            try await end(world, [.accepted, .rejected])
            #expect(try await mark(world, shop, alert) == [])
            // Names who held the row last.
            let holder = try await world.rows("select xmax::text from sineta.alerts")[0].text(0)
            #expect(holder == "0")
        }
    }

    @Test("the sweep goes on page by page, and past what is not to be marked")
    func pages() async throws {
        try await World.run { world in
            var silent: Set<AlertID> = []
            for outcomes: [PushEnd.Outcome?] in [
                [nil, .rejected], [.accepted, .rejected], [.expired, .expired], [.rejected],
                [.suppressed, nil],
            ] {
                let shop = try await world.shop()
                let alert = try await raise(world, shop, phones: 2)
                try await end(world, outcomes)
                if outcomes.count == 2, !outcomes.contains(.accepted) { silent.insert(alert) }
            }
            let swept = try await UnheardAlerts.sweep(
                page: 1, pool: world.worker, deadline: World.deadline)
            #expect(swept.count == silent.count)
            let marked = try await world.rows("select id from sineta.alerts where is_unheard")
            #expect(Set(try marked.map { try $0.id(0) }) == silent)
        }
    }

    /// What is decided for two people with a phone each, as two chunks.
    private func halves(
        _ world: World, _ shop: Shop
    ) async throws -> (DecidedAlert, DecidedAlert) {
        try await world.device(of: shop.owner)
        try await world.device(of: try await world.member(of: shop))
        _ = try await world.post(shop, World.order(shop, .ordersPaid, "p", order: .v7()))
        let whole = try #require(try await Decider(world: world).decisions().first)
        #expect(whole.pushes.count == 2)
        func half(_ index: Int) -> DecidedAlert {
            let push = whole.pushes[index]
            return DecidedAlert(
                job: whole.job, alert: whole.alert, externalID: whole.externalID,
                eventType: whole.eventType, subject: whole.subject, raisedAt: whole.raisedAt,
                decisions: whole.decisions.filter { $0.user.uuid == push.member }, pushes: [push])
        }
        return (half(0), half(1))
    }

    private func save(
        _ world: World, _ part: Int, of decided: DecidedAlert, cursor: [UInt8]?
    ) async throws -> Bool {
        try await Decisions.save(
            part: part, of: decided, cursor: cursor, lease: .seconds(30), pool: world.worker,
            deadline: World.deadline)
    }

    private func letters(_ world: World) async throws -> [Int64] {
        try await world.rows("select dead_id from sineta.jobs_dead").map { try $0.int64(0) }
    }
}
