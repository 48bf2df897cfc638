import Alerts
import JSON
import Jobs
import Postgres
import Push
import Runtime
import Storage
import TestKit
import Testing
import Values
import Worker

@Suite("From the event to the provider", .timeLimit(.minutes(3)))
struct DeliveryTests {
    @Test(
        "a paid order rings its member's phone once, and explain can read how",
        arguments: [PostgresConfiguration.Pooler.none, .transaction])
    func rings(pooler: PostgresConfiguration.Pooler) async throws {
        try await Harbour.with(pooler: pooler) { harbour in
            let shop = try await harbour.shop(token: "a1b2")
            let sender = ScriptedSender()
            try await harbour.working([Harbour.apns: sender]) {
                try await harbour.raise(shop.store)
                await sender.wait { !$0.isEmpty }
                try await harbour.settle()
            }
            let arrival = try #require(sender.arrivals.first)
            #expect(sender.arrivals.count == 1)
            #expect(arrival.token == "a1b2")
            #expect(arrival.push.text.title == "Pedido #1042 pago")
            #expect(arrival.push.text.body == "R$\u{A0}1.234,56 · Ana Souza")
            #expect(arrival.push.storeName == "Loja Azul")
            #expect(arrival.push.badge == 0)
            let row = try await harbour.behind.query(
                """
                select d.id, d.outcome, d.attempts, d.status, d.provider, d.provider_id,
                    a.decisions->0->'devices'->0->>'push_id', d.tries
                from sineta.deliveries d
                join sineta.alerts a on a.store_id = d.store_id and a.id = d.alert_id
                """, deadline: harbour.soon
            ).first
            #expect(try row?.uuid(0) == arrival.push.id.uuid)
            #expect(try row?.text(1) == "accepted")
            #expect(try row?.int(2) == 1)
            #expect(try row?.int(3) == 200)
            #expect(try row?.text(4) == "apns")
            #expect(try row?.text(5) == "provider-id")
            #expect(try row?.text(6) == arrival.push.id.description)
            #expect(try JSONValue.parse(row?.json(7) ?? []).array?.count == 1)
        }
    }

    @Test("a result that the database refuses to keep is no job that another worker took over")
    func refusedResult() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            try await harbour.run(
                "alter table sineta.deliveries add constraint refused check (false) not valid")
            let metrics = Metrics()
            try await harbour.working([Harbour.apns: ScriptedSender()], metrics: metrics) {
                try await harbour.raise(shop.store)
                try await harbour.eventually("nothing was refused") {
                    metrics.render().split(separator: "\n").contains {
                        $0.hasPrefix("sineta_job_statement_failures_total")
                            && $0.contains("\"write_back\"")
                    }
                }
            }
            // The worker has ended, and with it the counting.
            let fenced = metrics.render().split(separator: "\n").filter {
                $0.hasPrefix("sineta_jobs_fenced_total") && !$0.hasSuffix(" 0")
            }
            #expect(fenced == [])
            #expect(try await harbour.count("select count(*) from sineta.jobs") == 1)
        }
    }

    @Test("a batch with two stores keeps them apart")
    func twoStores() async throws {
        try await Harbour.with { harbour in
            let blue = try await harbour.shop("Loja Azul", token: "b1")
            let red = try await harbour.shop("Loja Vermelha", token: "c2", transport: "fcm")
            try await harbour.raise(
                [try Harbour.paid(blue.store), try Harbour.paid(red.store)])
            let apns = ScriptedSender()
            let fcm = ScriptedSender()
            try await harbour.working([Harbour.apns: apns, Harbour.fcm: fcm]) {
                try await harbour.settle()
            }
            #expect(apns.arrivals.map(\.token) == ["b1"])
            #expect(apns.arrivals.map(\.push.storeName) == ["Loja Azul"])
            #expect(apns.arrivals.map(\.push.store) == [blue.store])
            #expect(fcm.arrivals.map(\.token) == ["c2"])
            #expect(fcm.arrivals.map(\.push.storeName) == ["Loja Vermelha"])
        }
    }

    @Test(
        "five requests exactly, the same id at each, then the dead letter",
        arguments: [ScriptedSender.unavailable, .noAnswer("timeout")])
    func fiveAttempts(failure: ProviderOutcome) async throws {
        try await Harbour.with { harbour in
            let failing = try await harbour.shop(token: "bad")
            let well = try await harbour.shop(token: "good")
            // Another push is accepted before each failure, or it would be an outage: the
            // breaker's.
            let sender = ScriptedSender { $0.token == "bad" ? nil : ScriptedSender.accepted }
            try await harbour.raise(failing.store)
            try await harbour.working([Harbour.apns: sender]) {
                for attempt in 1...5 {
                    await sender.wait { $0.count { $0.token == "bad" } >= attempt }
                    try await harbour.raise(well.store)
                    // Written back, so that its answer was heard before the failure is.
                    while try await harbour.outcomes()["accepted"] != attempt {
                        await Task.yield()
                    }
                    sender.release(failure)
                }
                try await harbour.settle()
            }
            let arrivals = sender.arrivals.filter { $0.token == "bad" }
            #expect(arrivals.count == 5)
            #expect(Set(arrivals.map(\.push.id)).count == 1)
            let dead = try await harbour.dead()
            #expect(dead.map(\.attempts) == [5])
            #expect(dead.map(\.reason) == [failure.word?.reason])
            let tries = try await harbour.count(
                "select jsonb_array_length(tries) from sineta.jobs_dead")
            #expect(tries == 5)
        }
    }

    @Test("a push whose life is over ends expired and is not sent")
    func expired() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            try await harbour.raise(shop.store)
            try await harbour.run(
                "update sineta.jobs set expires_at = now() - interval '1 second'")
            let sender = ScriptedSender()
            try await harbour.working([Harbour.apns: sender]) { try await harbour.settle() }
            #expect(sender.arrivals.isEmpty)
            #expect(try await harbour.outcomes() == ["expired": 1])
            let attempts = try await harbour.count("select attempts from sineta.deliveries")
            #expect(attempts == 0)
        }
    }

    @Test(
        "a wait beyond what is left of its life ends a push as expired, and is told if it was asked",
        arguments: [
            (.asked(.seconds(7200)), 7200), (.atLeast(.seconds(7200)), nil),
            (.atLeast(.seconds(7200), asked: .seconds(5)), nil),
        ] as [(ProviderWait, Int?)])
    func retryAfterTooLong(wait: ProviderWait, told: Int?) async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            let sender = ScriptedSender { _ in
                .throttled(
                    ProviderWord(status: 429, reason: "TooManyRequests"), notBefore: wait)
            }
            try await harbour.raise(shop.store)
            try await harbour.working([Harbour.apns: sender]) { try await harbour.settle() }
            #expect(sender.arrivals.count == 1)
            #expect(try await harbour.outcomes() == ["expired": 1])
            let asked = try await harbour.count(
                "select coalesce(tries->0->>'retry_after', '-1')::integer from sineta.deliveries")
            #expect(asked == told ?? -1)
        }
    }

    @Test("Retry-After is kept, and the attempt counts")
    func retryAfter() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            let sender = ScriptedSender { _ in
                .throttled(
                    ProviderWord(status: 429, reason: "TooManyRequests"),
                    notBefore: .asked(.seconds(120)))
            }
            try await harbour.raise(shop.store)
            try await harbour.working([Harbour.apns: sender]) {
                await sender.wait { !$0.isEmpty }
                try await harbour.eventually("not postponed") {
                    try await harbour.count(
                        "select count(*) from sineta.jobs where attempts = 1 and lease_id is null")
                        == 1
                }
            }
            let seconds = try await harbour.count(
                "select extract(epoch from wake_at - timed_at)::int from sineta.jobs")
            #expect((118...122).contains(seconds))
        }
    }

    struct Suppression: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let statement: String
    }

    @Test(
        "what became of the person since the decision ends the push as suppressed",
        arguments: [
            Suppression(
                testDescription: "session_expired",
                statement: "update sineta.sessions set ended_at = now()"),
            Suppression(testDescription: "no_device", statement: "delete from sineta.devices"),
            Suppression(testDescription: "not_a_member", statement: "delete from sineta.members"),
            Suppression(
                testDescription: "no_permission",
                statement: "update sineta.members set role = 'staff'"),
            Suppression(
                testDescription: "store_disabled",
                statement: """
                    insert into sineta.push_preferences
                        (store_id, user_id, is_enabled, kinds_on, kinds_off, minimums, saved_at)
                    select store_id, user_id, false, '{}', '{}', '{}', now() from sineta.members
                    """),
        ])
    func suppressed(_ item: Suppression) async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            try await harbour.raise(shop.store)
            let nobody = ScriptedSender(freeStreams: 0)
            // Decided, but with no stream free nothing goes out.
            try await harbour.working([Harbour.apns: nobody]) {
                try await harbour.eventually("not decided") {
                    try await harbour.count(
                        "select count(*) from sineta.jobs where kind = 'push.deliver'") == 1
                }
            }
            try await harbour.database.run(item.statement)
            let sender = ScriptedSender()
            try await harbour.working([Harbour.apns: sender]) { try await harbour.settle() }
            #expect(sender.arrivals.isEmpty)
            #expect(try await harbour.outcomes() == ["suppressed": 1])
            #expect(
                try await harbour.texts("select reason from sineta.deliveries")
                    == [item.testDescription])
        }
    }

    @Test("a push that found no stream in time asks again whether it may go, and has cost nothing")
    func notStarted() async throws {
        try await Harbour.with { harbour in
            let out = try await harbour.shop(token: "out")
            let well = try await harbour.shop(token: "well")
            let sender = ScriptedSender()
            sender.stall(2)
            let before = ContinuousClock.now
            try await harbour.raise(out.store)
            try await harbour.raise(well.store)
            try await harbour.working([Harbour.apns: sender]) {
                try await harbour.eventually("they do not wait") { sender.stalled == 2 }
                // Its answer is 204 now; what comes after it must not reach the phone.
                try await harbour.run(
                    """
                    update sineta.sessions set ended_at = now()
                    where id = (select session_id from sineta.devices where id = $1)
                    """, .id(out.device))
                sender.giveUp()
                try await harbour.settle()
            }
            #expect(sender.arrivals.map(\.token) == ["well"])
            #expect(try await harbour.outcomes() == ["accepted": 1, "suppressed": 1])
            let attempts = try await harbour.count("select max(attempts) from sineta.deliveries")
            #expect(attempts == 1)
            let latest = try #require(sender.startBys.map(\.instant).max())
            #expect(sender.startBys.allSatisfy { $0.instant > before })
            #expect(latest <= ContinuousClock.now + .seconds(1))
        }
    }

    @Test("a dead token deletes its device and leaves a tombstone with the provider's word")
    func unregistered() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            let sender = ScriptedSender { _ in ScriptedSender.gone("BadDeviceToken") }
            try await harbour.raise(shop.store)
            try await harbour.working([Harbour.apns: sender]) { try await harbour.settle() }
            #expect(try await harbour.outcomes() == ["rejected": 1])
            #expect(try await harbour.count("select count(*) from sineta.devices") == 0)
            #expect(
                try await harbour.texts(
                    "select provider_reason from sineta.removed_devices") == ["BadDeviceToken"])
        }
    }

    @Test("a device that registered again for another environment is served from there")
    func moved() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop(token: "d4")
            try await harbour.raise(shop.store)
            let nobody = ScriptedSender(freeStreams: 0)
            try await harbour.working([Harbour.apns: nobody]) {
                try await harbour.eventually("not decided") {
                    try await harbour.count(
                        "select count(*) from sineta.jobs where kind = 'push.deliver'") == 1
                }
            }
            try await harbour.run("update sineta.devices set environment = 'sandbox'")
            let production = ScriptedSender()
            let sandbox = ScriptedSender()
            try await harbour.working([Harbour.apns: production, Harbour.sandbox: sandbox]) {
                try await harbour.settle()
            }
            #expect(production.arrivals.isEmpty)
            #expect(sandbox.arrivals.map(\.token) == ["d4"])
        }
    }

    @Test("a request that is refused is dead after one attempt, and its device stays")
    func refused() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            let sender = ScriptedSender { _ in
                .requestRefused(ProviderWord(status: 413, reason: "PayloadTooLarge"))
            }
            try await harbour.raise(shop.store)
            try await harbour.working([Harbour.apns: sender]) { try await harbour.settle() }
            #expect(sender.arrivals.count == 1)
            let dead = try await harbour.dead()
            #expect(dead.map(\.reason) == ["PayloadTooLarge"])
            #expect(dead.map(\.attempts) == [1])
            #expect(try await harbour.count("select count(*) from sineta.devices") == 1)
        }
    }
}
