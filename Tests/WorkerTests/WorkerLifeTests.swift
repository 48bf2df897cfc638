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

@Suite("Workers that come, go and die", .timeLimit(.minutes(3)))
struct WorkerLifeTests {
    @Test("a worker that dies in mid-send loses nothing, and the repeat has the same id")
    func abandoned() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            try await harbour.raise(shop.store)
            var settings = Harbour.settings
            // Long enough for a living worker to write back on a machine that is slow or watched.
            settings.lease = .seconds(6)
            settings.providerTimeout = .seconds(1)
            let dying = ScriptedSender { _ in nil }
            let living = ScriptedSender()
            // The first worker never hears an answer; nothing tells it that it is dead.
            let shutdown = Shutdown()
            let services = try await WorkerServices(
                pool: harbour.pool, senders: Senders([Harbour.apns: dying]),
                wording: harbour.wording, settings: settings, log: .silent, metrics: Metrics()
            ).make(deadline: harbour.soon)
            let first = Task {
                try await ServiceGroup(services, log: .silent)
                    .run(until: shutdown, grace: .seconds(20))
            }
            await dying.wait { !$0.isEmpty }
            dying.close()
            try await harbour.working([Harbour.apns: living], settings: settings) {
                await living.wait { !$0.isEmpty }
                try await harbour.settle()
            }
            // On a slow machine the first may have sent it again itself, once its lease was over.
            let sent = Set(dying.arrivals.map(\.push.id))
            #expect(sent.count == 1)
            #expect(living.arrivals.map(\.push.id) == Array(sent))
            #expect(try await harbour.outcomes() == ["accepted": 1])
            // The dead one wakes up and reports: its result is dropped.
            dying.release(ScriptedSender.gone("BadDeviceToken"))
            shutdown.begin()
            try await first.value
            #expect(try await harbour.outcomes() == ["accepted": 1])
            #expect(try await harbour.count("select count(*) from sineta.devices") == 1)
        }
    }

    @Test("asked to end, what is in flight ends and what waits stays as it was")
    func drain() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            try await harbour.raise(shop.store, count: 25)
            let sender = ScriptedSender(freeStreams: 5) { _ in nil }
            var settings = Harbour.settings
            settings.concurrency = 5
            try await harbour.working([Harbour.apns: sender], settings: settings) {
                await sender.wait { $0.count == 5 }
                try await harbour.eventually("not decided") {
                    try await harbour.count(
                        "select count(*) from sineta.jobs where kind = 'alerts.decide'") == 0
                }
            } draining: {
                sender.release()
            }
            let done = try await harbour.outcomes()["accepted"] ?? 0
            let left = try await harbour.count(
                """
                select count(*) from sineta.jobs
                where attempts = 0 and losses = 0 and lease_id is null
                """)
            #expect(done == 5)
            #expect(left == 20)
            #expect(sender.arrivals.count == 5)

            let next = ScriptedSender()
            try await harbour.working([Harbour.apns: next]) { try await harbour.settle() }
            #expect(try await harbour.outcomes() == ["accepted": 25])
        }
    }

    @Test("rows that no worker can read are buried with the reason; the good one is delivered")
    func poison() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            try await harbour.run(
                """
                insert into sineta.jobs (kind, args) values
                    ('push.deliver', null), ('alerts.decide', '{}'), ('alerts.decide', '[1]'),
                    ('events.apply', '{"id": 1}'), ('calls.ring', '{}')
                """)
            try await harbour.run(
                """
                insert into sineta.jobs (kind, subject, target, member)
                values ('push.deliver', gen_random_uuid(), gen_random_uuid(), gen_random_uuid())
                """)
            let sender = ScriptedSender()
            let metrics = Metrics()
            try await harbour.working([Harbour.apns: sender], metrics: metrics) {
                try await harbour.raise(shop.store)
                try await harbour.settle()
            }
            #expect(sender.arrivals.count == 1)
            let dead = try await harbour.dead()
            #expect(dead.count == 6)
            // Each is counted, whoever buried it.
            let counts = metrics.render().split(separator: "\n").filter {
                $0.hasPrefix("sineta_jobs_buried_total{")
            }
            #expect(
                counts.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
                    .reduce(0, +) == 6, "\(counts)")
            #expect(Set(dead.map(\.reason)) == ["undecodable", "unknown_kind"])
            #expect(dead.allSatisfy { $0.attempts == 0 })
        }
    }

    @Test("a push that SQL inserted whole goes out")
    func insertedPush() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop(token: "e5")
            try await harbour.raise(shop.store)
            let sender = ScriptedSender()
            try await harbour.working([Harbour.apns: sender]) { try await harbour.settle() }
            try await harbour.run(
                """
                insert into sineta.jobs (kind, store_id, subject, target, member)
                select 'push.deliver', store_id, alert_id, device_id, user_id
                from sineta.deliveries
                """)
            let again = ScriptedSender()
            try await harbour.working([Harbour.apns: again]) { try await harbour.settle() }
            #expect(again.arrivals.map(\.token) == ["e5"])
        }
    }

    @Test("an event that SQL raised is applied after its commit, through the same path")
    func applied() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            let event = try Harbour.paid(shop.store)
            try await harbour.run(
                """
                insert into sineta.jobs (id, kind, store_id, args)
                values ($1, 'events.apply', $2, $3)
                """, .id(event.id), .id(shop.store), .json(event.event.json.encoded))
            let sender = ScriptedSender()
            try await harbour.working([Harbour.apns: sender]) {
                await sender.wait { !$0.isEmpty }
                try await harbour.settle()
            }
            #expect(sender.arrivals.map(\.push.alert) == [event.id])
        }
    }

    @Test("an audience larger than a chunk is decided part by part, as bulk, and nobody twice")
    func largeAudience() async throws {
        try await Harbour.with { harbour in
            let store = try await harbour.store()
            for number in 0..<8 {
                let user = try await harbour.member(of: store)
                try await harbour.phone(of: user, token: "t\(number)")
            }
            var settings = Harbour.settings
            settings.audienceChunk = 3
            let sender = ScriptedSender()
            try await harbour.raise(store)
            try await harbour.working([Harbour.apns: sender], settings: settings) {
                try await harbour.settle()
            }
            #expect(Set(sender.arrivals.map(\.token)) == Set((0..<8).map { "t\($0)" }))
            #expect(sender.arrivals.count == 8)
            let decided = try await harbour.count(
                """
                select (select sum(jsonb_array_length(decisions)) from sineta.alerts)
                    + (select sum(jsonb_array_length(decisions)) from sineta.alert_parts)
                """)
            #expect(decided == 8)
        }
    }

    @Test("an alert that reaches nobody is counted")
    func unheard() async throws {
        try await Harbour.with { harbour in
            let store = try await harbour.store()
            _ = try await harbour.member(of: store)
            let metrics = Metrics()
            try await harbour.raise(store)
            try await harbour.working([Harbour.apns: ScriptedSender()], metrics: metrics) {
                try await harbour.settle()
            }
            let text = metrics.render()
            #expect(text.contains("sineta_alerts_unheard_total{kind=\"orders.paid\"} 1\n"))
            #expect(text.contains("sineta_decisions_total{reason=\"no_device\"} 1\n"))
        }
    }

    @Test("an alert of which no push was accepted is counted and marked, others are not")
    func unheardAtLast() async throws {
        try await Harbour.with { harbour in
            let silent = try await harbour.shop(token: "a")
            try await harbour.phone(of: silent.user, token: "b")
            let heard = try await harbour.shop(token: "c")
            try await harbour.phone(of: heard.user, token: "d")
            let sender = ScriptedSender { arrival in
                switch arrival.token {
                case "a", "c": ScriptedSender.gone("BadDeviceToken")
                case "b": .requestRefused(ProviderWord(status: 400, reason: "BadTopic"))
                default: ScriptedSender.accepted
                }
            }
            let metrics = Metrics()
            try await harbour.working([Harbour.apns: sender], metrics: metrics) {
                try await harbour.raise(silent.store)
                try await harbour.raise(heard.store)
                try await harbour.eventually("it was not marked") {
                    try await harbour.count("select count(*) from sineta.alerts where is_unheard")
                        == 1
                }
                // The last of a write-back, when its jobs are let go of already.
                try await harbour.eventually("it was not counted") {
                    metrics.render().contains(
                        "sineta_alerts_unheard_total{kind=\"orders.paid\"} 1\n")
                }
                try await harbour.settle()
            }
            let stores = try await harbour.texts(
                "select store_id::text from sineta.alerts where is_unheard")
            #expect(stores == [silent.store.description])
            #expect(
                metrics.render().contains(
                    "sineta_alerts_unheard_total{kind=\"orders.paid\"} 1\n"))
        }
    }

    @Test("pushes are written back and let go of, though their alerts cannot be marked")
    func unmarked() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop(token: "a")
            try await harbour.run("revoke update on sineta.alerts from sineta_worker")
            let lines = Lock<[String]>([])
            let log = Log(level: .warning, format: .text) { line in
                lines.withLock { $0.append(line) }
            }
            let metrics = Metrics()
            let sender = ScriptedSender { _ in ScriptedSender.gone("BadDeviceToken") }
            try await harbour.working([Harbour.apns: sender], metrics: metrics, log: log) {
                try await harbour.raise(shop.store)
                try await harbour.eventually("it was not told of") {
                    lines.withLock { lines in
                        lines.contains { $0.contains("unheard alerts could not be marked") }
                    }
                }
            }
            #expect(try await harbour.outcomes() == ["rejected": 1])
            #expect(!lines.withLock { $0.contains { $0.contains("results could not be") } })
            let text = metrics.render()
            #expect(
                text.contains(
                    "sineta_deliveries_total{provider=\"apns\",outcome=\"rejected\","),
                "the results were written")
        }
    }

    @Test("every push that was decided ends in exactly one outcome", .timeLimit(.minutes(2)))
    func sum() async throws {
        try await Harbour.with { harbour in
            let store = try await harbour.store()
            for number in 0..<5 {
                let user = try await harbour.member(of: store)
                try await harbour.phone(of: user, token: "t\(number)")
                try await harbour.phone(of: user, token: "u\(number)", transport: "fcm")
            }
            let script: ScriptedSender.Script = { arrival in
                switch Int.random(in: 0..<10) {
                case 0 where arrival.attempt < 3: ScriptedSender.unavailable
                case 1: .requestRefused(ProviderWord(status: 400, reason: "BadCollapseId"))
                default: ScriptedSender.accepted
                }
            }
            let apns = ScriptedSender(script)
            let fcm = ScriptedSender(script)
            try await harbour.working([Harbour.apns: apns, Harbour.fcm: fcm]) {
                for _ in 0..<10 { try await harbour.raise(store, count: 20) }
                try await harbour.settle()
            }
            let ends = try await harbour.outcomes().values.reduce(0, +)
            let dead = try await harbour.dead().count
            #expect(ends + dead == 200 * 10)
            #expect(Set((apns.arrivals + fcm.arrivals).map(\.push.id)).count == 2000)
        }
    }
}
