import Alerts
import JSON
import Jobs
import Postgres
import Storage
import TestKit
import Testing
import Values

@Suite("The way of an alert")
struct FlowTests {
    @Test("an order reaches the devices of those who must know, and everybody's reason is kept")
    func order() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let bia = try await world.member(of: shop)
            let eva = try await world.member(of: shop, "eva", permissions: [.inventoryRead])
            let phone = try await world.device(of: bia, token: "bia-phone").device
            try await world.device(of: eva)
            let result = try await world.post(
                shop, World.order(shop, .ordersPaid, "paid", order: .v7()))
            let decided = try await Decider(world: world).decide()
            #expect(decided.count == 1)
            let reasons = Dictionary(
                uniqueKeysWithValues: decided[0].decisions.map {
                    ($0.user, $0.verdict.reason.rawValue)
                })
            #expect(
                reasons == [
                    bia.id: "notified", eva.id: "no_permission", shop.owner.id: "no_device",
                ])

            let material = try await Decider(world: world).material(decided[0])
            #expect(material.count == 1)
            #expect(material[0].alert == decided[0].alert)
            #expect(material[0].device?.id == phone)
            #expect(material[0].device?.token.reveal() == "bia-phone")
            #expect(material[0].badge == 0)
            #expect(material[0].store.name == "Loja Azul")
            #expect(
                Recipients.recheck(PushedAlert(material[0].alert), material[0].facts).isYes)

            // What they read later.
            for (person, count) in [(bia, 1), (eva, 0), (shop.owner, 1)] {
                let lines = try await world.run(person.credential) { transaction in
                    try Inbox.list(
                        [shop.id], of: person.id, after: nil, limit: 10, in: transaction)
                }
                #expect(lines.map(\.alert.id) == (count == 1 ? [result.id] : []))
                #expect(lines.allSatisfy { $0.readAt == nil })
            }
        }
    }

    @Test("a second decider of the same job keeps nothing")
    func fenced() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            try await world.device(of: shop.owner)
            _ = try await world.post(shop, World.order(shop, .ordersPaid, "p", order: .v7()))
            let decided = try await Decider(world: world).decide()
            let again = try await Decisions.save(
                decided, pool: world.worker, deadline: World.deadline)
            #expect(again.isEmpty)
            #expect(try await world.count("select count(*) from sineta.alerts") == 1)
            #expect(try await world.count("select count(*) from sineta.jobs") == 1)
        }
    }

    @Test("what is asked again at sending sees a logout, a moved token and a lost permission")
    func askedAgain() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let bia = try await world.member(of: shop)
            try await world.device(of: bia, token: "t")
            _ = try await world.post(shop, World.order(shop, .ordersPaid, "p", order: .v7()))
            let decided = try await Decider(world: world).decide()[0]
            func reason() async throws -> String {
                let material = try await Decider(world: world).material(decided)[0]
                return Recipients.recheck(PushedAlert(material.alert), material.facts).reason
                    .rawValue
            }
            #expect(try await reason() == "notified")
            _ = try await world.run(shop.owner.credential) { transaction in
                try Members.change(
                    shop.id, bia.id, role: .staff, permissions: [.inventoryRead], in: transaction)
            }
            #expect(try await reason() == "no_permission")
            _ = try await world.run(shop.owner.credential) { transaction in
                try Members.change(
                    shop.id, bia.id, role: .staff, permissions: [.ordersRead], in: transaction)
            }
            let eve = try await world.person("eve")
            try await world.device(of: eve, token: "t")
            #expect(try await reason() == "no_device")
            _ = try await world.run(shop.owner.credential) { transaction in
                try Members.remove(shop.id, bia.id, in: transaction)
            }
            #expect(try await reason() == "not_a_member")
        }
    }

    @Test("the badge counts what waits for the member or nobody, those who left being nobody")
    func badge() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let other = try await world.shop()
            let bia = try await world.member(of: shop)
            let eva = try await world.member(of: shop, "eva")
            let gone = try await world.member(of: shop, "gone")
            try await world.device(of: bia)
            func message(_ shop: Shop, _ id: String, assignee: UserID?, closed: Bool = false)
                async throws
            {
                let conversation = UUID.v7().description
                _ = try await world.post(
                    shop,
                    World.event(
                        shop, .conversationsMessageReceived, id,
                        [
                            "conversation_id": .text(conversation),
                            "assignee_id": assignee.map { .text($0.description) } ?? .null,
                            "message": ["id": .text(id), "kind": "text", "text": "oi"],
                        ]))
                if closed {
                    _ = try await world.post(
                        shop,
                        World.event(
                            shop, .conversationsClosed, id + "-closed",
                            ["conversation_id": .text(conversation)]))
                }
            }
            try await message(shop, "mine", assignee: bia.id)
            try await message(shop, "evas", assignee: eva.id)
            try await message(shop, "nobodys", assignee: nil)
            try await message(shop, "gones", assignee: gone.id)
            try await message(shop, "closed", assignee: bia.id, closed: true)
            try await message(other, "elsewhere", assignee: nil)
            _ = try await world.run(shop.owner.credential) { transaction in
                try Members.remove(shop.id, gone.id, in: transaction)
            }
            _ = try await world.post(shop, World.order(shop, .ordersPaid, "p", order: .v7()))
            let decided = try await Decider(world: world).decide()
            let order = try #require(decided.first { $0.alert.kind == .ordersPaid })
            let material = try await Decider(world: world).material(order)
            #expect(material.map(\.badge) == [3])

            let counts = try await world.run(bia.credential) { transaction in
                try Conversations.counts(shop.id, for: bia.id, in: transaction)
            }
            #expect([counts.open, counts.pending, counts.closed] == [4, 0, 1])
            #expect([counts.mine, counts.unassigned, counts.total] == [1, 2, 4])
        }
    }

    @Test("an accepted push is kept with its attempt, and a fenced one changes nothing")
    func ends() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let phone = try #require(try await world.device(of: shop.owner).device)
            let result = try await world.post(
                shop, World.order(shop, .ordersPaid, "p", order: .v7()))
            try await Decider(world: world).decide()
            let job = try await Decider(world: world).claim(JobKinds.deliver)[0]
            let attempt = Array(#"{"at":"2026-11-30T12:00:00Z","status":200}"#.utf8)
            let stale = PushEnd(
                job: HeldJob(id: job.id, lease: LeaseID(.random())), outcome: .rejected,
                device: .delete(
                    word: "Unregistered", registeredAt: .now() + .seconds(60), deadSince: nil))
            let fenced = try await Deliveries.finish(
                [stale], pool: world.worker, deadline: World.deadline)
            #expect(fenced.isEmpty)
            let good = PushEnd(
                job: job, outcome: .accepted, provider: "apns", status: 200, providerID: "x",
                attempt: attempt)
            let finished = try await Deliveries.finish(
                [good], pool: world.worker, deadline: World.deadline)
            #expect(finished == [job.id])
            let (states, devices) = try await world.run(shop.owner.credential) { transaction in
                let record = try #require(
                    try AlertRecords.find(shop.id, result.id, in: transaction))
                return (
                    try PushStates.load(shop.id, record, in: transaction),
                    try Devices.lines(transaction.query(Devices.list(Page(limit: 9))))
                )
            }
            #expect(states.count == 1)
            #expect(states[PushID(job.id.uuid)]?.state == .accepted)
            #expect(states[PushID(job.id.uuid)]?.attempts.map(\.providerMessageID) == ["x"])
            #expect(devices.map(\.id) == [phone])
            #expect(devices[0].lastAcceptedAt != nil)
        }
    }

    @Test(
        "what is retried after its day was dropped ends, and the rest of its batch is kept",
        arguments: [JobKinds.decide, JobKinds.deliver])
    func droppedDay(kind: String) async throws {
        try await World.run { world in
            let shop = try await world.shop()
            try await world.device(of: shop.owner)
            _ = try await world.post(shop, World.order(shop, .ordersPaid, "old", order: .v7()))
            let decider = Decider(world: world)
            if kind == JobKinds.deliver { try await decider.decide() }
            let old = try await decider.claim(kind)
            _ = try await JobQueue(pool: world.worker).bury(
                old.map { Burial(job: $0, reason: "BadTopic", countsAsAttempt: true) },
                deadline: World.deadline)
            try await world.database.run(
                """
                update sineta.jobs_dead set raised_at = now() - interval '40 days',
                  expires_at = now() - interval '39 days'
                """)
            let letters = try await world.rows("select dead_id from sineta.jobs_dead").map {
                try $0.int64(0)
            }
            let tally = try await world.run(as: .operator) { tx in
                try DeadLetterActs.retry(letters, in: tx)
            }
            #expect(tally.changed == 1)
            _ = try await world.post(shop, World.order(shop, .ordersPaid, "new", order: .v7()))
            try await decider.decide()
            let jobs = try await decider.claim(JobKinds.deliver)
            #expect(jobs.count == 2)
            let written = try await Deliveries.finish(
                jobs.map { PushEnd(job: $0, outcome: .expired, reason: "expired") },
                pool: world.worker, deadline: World.deadline)
            #expect(written == Set(jobs.map(\.id)))
            #expect(try await world.count("select count(*) from sineta.jobs") == 0)
            #expect(try await world.count("select count(*) from sineta.deliveries") == 1)
        }
    }

    @Test("of a day that is long ago or to come everything is kept while its partition stands")
    func standingDay() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            try await world.device(of: shop.owner)
            for name in ["old", "ahead"] {
                _ = try await world.post(shop, World.order(shop, .ordersPaid, name, order: .v7()))
            }
            try await Decider(world: world).decide()
            try await world.database.run(
                """
                do $$ declare today constant date := (now() at time zone 'UTC')::date;
                begin
                  execute format('create table sineta.deliveries_%s partition of sineta.deliveries
                    for values from (%L) to (%L)', to_char(today - 20, 'YYYYMMDD'), today - 20,
                    today - 19);
                end $$;
                update sineta.jobs set raised_at = now() + interval '5 days';
                update sineta.jobs set raised_at = now() - interval '20 days'
                where id = (select id from sineta.jobs order by id limit 1)
                """)
            let jobs = try await Decider(world: world).claim(JobKinds.deliver)
            let written = try await Deliveries.finish(
                jobs.map { PushEnd(job: $0, outcome: .expired, reason: "expired") },
                pool: world.worker, deadline: World.deadline)
            #expect(written.count == 2)
            #expect(try await world.count("select count(*) from sineta.deliveries") == 2)
        }
    }

    @Test(
        "a dead token's device goes, unless it registered since",
        arguments: [
            (since: Duration?.none, registered: Duration.seconds(0), dies: true),
            (since: .seconds(-60), registered: .seconds(0), dies: false),
            (since: .seconds(60), registered: .seconds(0), dies: true),
            (since: nil, registered: .seconds(-60), dies: false),
        ])
    func deadToken(since: Duration?, registered: Duration, dies: Bool) async throws {
        try await World.run { world in
            let shop = try await world.shop()
            try await world.device(of: shop.owner)
            _ = try await world.post(shop, World.order(shop, .ordersPaid, "p", order: .v7()))
            let decided = try await Decider(world: world).decide()[0]
            let target = try #require(
                try await Decider(world: world).material(decided)[0].device)
            let job = try await Decider(world: world).claim(JobKinds.deliver)[0]
            _ = try await Deliveries.finish(
                [
                    PushEnd(
                        job: job, outcome: .rejected, provider: "apns", status: 410,
                        reason: "Unregistered", attempt: Array("{}".utf8),
                        device: .delete(
                            word: "Unregistered",
                            registeredAt: target.lastRegisteredAt + registered,
                            deadSince: since.map { target.lastRegisteredAt + $0 }))
                ], pool: world.worker, deadline: World.deadline)
            #expect(try await world.count("select count(*) from sineta.devices") == (dies ? 0 : 1))
            #expect(
                try await world.count(
                    """
                    select count(*) from sineta.removed_devices
                    where reason = 'provider_rejected' and provider_reason = 'Unregistered'
                    """) == (dies ? 1 : 0))
        }
    }
}
