import Alerts
import JSON
import Postgres
import Storage
import TestKit
import Testing
import Values

@Suite("Ingest")
struct IngestTests {
    @Test("an order is kept, its alert's job is added, and a second id raises nothing more")
    func order() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let order = UUID.v7()
            let paid = try World.order(shop, .ordersPaid, "paid-1", order: order)
            let first = try await world.post(shop, paid)
            #expect(
                first
                    == IngestResult(
                        externalID: "paid-1", id: paid.id, isDuplicate: false, reason: nil))
            #expect(first.alert == paid.id)

            let again = try await world.post(
                shop, World.order(shop, .ordersPaid, "paid-2", order: order))
            #expect(again.reason == "already_raised")
            #expect(again.alert == nil)
            #expect(try await world.count("select count(*) from sineta.jobs") == 1)
            #expect(
                try await world.count(
                    """
                    select count(*) from sineta.orders
                    where status = 'paid' and number = '1042' and amount = 1234.56
                    """) == 1)
        }
    }

    @Test("the same id twenty times at once is one event, answered with the first result")
    func duplicates() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let order = UUID.v7()
            let results = try await withThrowingTaskGroup(of: IngestResult.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await world.post(
                            shop, World.order(shop, .ordersPaid, "same", order: order))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.count { !$0.isDuplicate } == 1)
            #expect(Set(results.map(\.id)).count == 1)
            #expect(Set(results.map(\.alert)).count == 1)
            #expect(try await world.count("select count(*) from sineta.jobs") == 1)
        }
    }

    @Test("the group commits the calls of many stores together and tells them apart")
    func group() async throws {
        try await World.run { world in
            let shops = [try await world.shop(), try await world.shop()]
            let group = IngestGroup(pool: world.pool, raised: {})
            let replies = try await withThrowingTaskGroup(of: (Int, IngestReply).self) { tasks in
                for number in 0..<40 {
                    let shop = shops[number % 2]
                    tasks.addTask {
                        let event = try World.order(
                            shop, .ordersCreated, "e\(number)", order: .v7())
                        let reply = try await group.submit(
                            IngestRequest(
                                tokenHash: number == 7 ? [1, 2, 3] : shop.token,
                                store: number == 8 ? shops[1].id : shop.id, events: [event]),
                            deadline: World.deadline)
                        return (number, reply)
                    }
                }
                return try await tasks.reduce(into: [Int: IngestReply]()) { $0[$1.0] = $1.1 }
            }
            for (number, reply) in replies {
                switch number {
                case 7: #expect(reply == .unauthenticated)
                case 8: #expect(reply == .otherStore)
                default:
                    guard case .done(let results) = reply else {
                        Issue.record("call \(number) was refused")
                        continue
                    }
                    #expect(results.map(\.externalID) == ["e\(number)"])
                    #expect(results[0].alert != nil)
                }
            }
            for shop in shops {
                #expect(
                    try await world.count(
                        "select count(*) from sineta.orders where store_id = $1", .id(shop.id))
                        == 19)
            }
        }
    }

    @Test("a token that is gone brings nothing in beside a good one of its store")
    func strangers() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let other = try await world.shop()
            let requests = try [
                (shop.token, shop), ([1, 2, 3], shop), (other.token, shop), (other.token, other),
            ].enumerated().map { index, call in
                IngestRequest(
                    tokenHash: call.0, store: call.1.id,
                    events: [try World.order(call.1, .ordersCreated, "e\(index)", order: .v7())])
            }
            let replies = try await Ingest.commit(
                requests, pool: world.pool, deadline: World.deadline
            ).map { try $0.get() }
            #expect(replies[1] == .unauthenticated)
            #expect(replies[2] == .otherStore)
            for index in [0, 3] {
                guard case .done(let results) = replies[index] else {
                    Issue.record("call \(index) was refused")
                    continue
                }
                #expect(results.map(\.externalID) == ["e\(index)"])
            }
            #expect(
                try await world.count(
                    "select count(*) from sineta.events where external_id in ('e0', 'e3')") == 2)
            #expect(try await world.count("select count(*) from sineta.events") == 2)
        }
    }

    @Test("one caller's fault never answers another's")
    func fault() async throws {
        try await World.run { world in
            let shops = [try await world.shop(), try await world.shop()]
            try await world.database.run(
                """
                alter table sineta.orders add check (store_id <> '\(shops[0].id)');
                """)
            let requests = try shops.map { shop in
                IngestRequest(
                    tokenHash: shop.token, store: shop.id,
                    events: [try World.order(shop, .ordersCreated, "e", order: .v7())])
            }
            let replies = await Ingest.commit(
                requests, pool: world.pool, deadline: World.deadline)
            #expect(throws: (any Error).self) { try replies[0].get() }
            guard case .success(.done(let results)) = replies[1] else {
                Issue.record("the good call failed")
                return
            }
            #expect(results[0].alert != nil)
            #expect(try await world.count("select count(*) from sineta.events") == 1)
        }
    }

    @Test("events of one order in one call go one after the other")
    func waves() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let order = UUID.v7()
            let results = try await world.post(
                shop,
                [
                    World.order(shop, .ordersCreated, "a", order: order),
                    World.order(shop, .ordersPaid, "b", order: order),
                    World.order(shop, .ordersPaid, "c", order: order),
                    World.order(shop, .ordersPaid, "b", order: order),
                ])
            #expect(results.map(\.reason) == [nil, nil, "already_raised", nil])
            #expect(results.map(\.isDuplicate) == [false, false, false, true])
            #expect(results[3].id == results[1].id)
        }
    }

    @Test("paid before created, and late news, leave the newest truth")
    func outOfOrder() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let order = UUID.v7()
            let now = Timestamp.now()
            let paid = try await world.post(
                shop,
                World.order(
                    shop, .ordersPaid, "paid", order: order, at: now - .seconds(60), amount: "20",
                    customer: nil))
            let created = try await world.post(
                shop,
                World.order(
                    shop, .ordersCreated, "created", order: order, at: now - .seconds(120),
                    amount: "10"))
            #expect(paid.alert != nil && created.alert != nil)
            #expect(
                try await world.count(
                    """
                    select count(*) from sineta.orders where status = 'paid' and amount = 20
                      and customer_name = 'Ana Souza' and created_at < paid_at
                    """) == 1)
        }
    }

    @Test("an event older than the alert's life is kept with its mark and raises nothing")
    func tooOld() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let order = UUID.v7()
            let old = try await world.post(
                shop,
                World.order(
                    shop, .ordersPaid, "old", order: order, at: .now() - .seconds(3601)))
            #expect(old.reason == "too_old")
            let fresh = try await world.post(
                shop, World.order(shop, .ordersPaid, "fresh", order: order))
            #expect(fresh.reason == "already_raised")
        }
    }

    @Test("the installation's bound on age is also where the job ends")
    func bound() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let event = try World.order(shop, .ordersPaid, "bound", order: .v7())
            let bounded = try #require(
                IngestEvent(
                    store: shop.id, id: event.id, event: event.event,
                    receivedAt: event.receivedAt, maxAge: .seconds(60)))
            #expect(try await world.post(shop, bounded).alert != nil)
            #expect(
                try await world.count(
                    """
                    select count(*) from sineta.jobs j join sineta.events e on e.id = j.subject
                    where j.expires_at = e.occurred_at + interval '60 s'
                    """) == 1)
        }
    }

    @Test("two confirmations of one payment at once raise one alert")
    func paidTwice() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let order = UUID.v7()
            async let one = world.post(
                shop, World.order(shop, .ordersPaid, "provider-1", order: order))
            async let two = world.post(
                shop, World.order(shop, .ordersPaid, "provider-2", order: order))
            let alerts = try await [one, two].compactMap(\.alert)
            #expect(alerts.count == 1)
            #expect(try await world.count("select count(*) from sineta.jobs") == 1)
        }
    }
}
