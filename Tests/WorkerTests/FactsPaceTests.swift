import Postgres
import Push
import Runtime
import TestKit
import Testing
import Values

@testable import Jobs
@testable import Worker

@Suite("The pace of a credential's claims", .timeLimit(.minutes(3)))
struct FactsPaceTests {
    let now = ContinuousClock.now

    @Test("what came too late halves the next claims down to one, what came in time doubles them")
    func halves() {
        var pace = FactsPace(most: 200)
        var counts: [Int] = []
        for _ in 0..<9 {
            pace.late(pace.limit, restUntil: now)
            counts.append(pace.limit)
        }
        #expect(counts == [100, 50, 25, 12, 6, 3, 1, 1, 1])
        pace.inTime(1)
        #expect(pace.limit == 2)
        pace.inTime(1)
        #expect(pace.limit == 2, "fewer than it might take say nothing")
        for _ in 0..<9 { pace.inTime(pace.limit) }
        #expect(pace.limit == 200)
    }

    @Test("batches of one size that come too late together count once")
    func together() {
        var pace = FactsPace(most: 200)
        for _ in 0..<5 { pace.late(200, restUntil: now) }
        #expect(pace.limit == 100)
    }

    @Test("nothing is claimed while the database has its rest")
    func rests() {
        var pace = FactsPace(most: 8)
        pace.late(8, restUntil: now + .milliseconds(200))
        #expect(pace.room(at: now + .milliseconds(199)) == 0)
        #expect(pace.room(at: now + .milliseconds(200)) == 4)
    }

    @Test("facts that take longer than a second for a whole claim are read for fewer")
    func slowFacts() async throws {
        // All of them take more than a second. A write-back reads all phones of the person as
        // slowly and has five seconds (1.5 s measured): with many more it would run out on a busy
        // machine.
        try await Self.withWaiting(40, readFor: "0.03") { harbour in
            let metrics = Metrics()
            let sender = ScriptedSender()
            try await harbour.working([Harbour.apns: sender], metrics: metrics) {
                try await harbour.settle()
            }
            #expect(sender.arrivals.count == 40)
            #expect(try await harbour.outcomes() == ["accepted": 40])
            #expect(try await harbour.count("select max(attempts) from sineta.deliveries") == 1)
            let late = metrics.render().split(separator: "\n").first {
                $0.hasPrefix("sineta_deliveries_total") && $0.contains("facts_late")
            }
            #expect(late != nil)
        }
    }

    @Test("a deliverer whose facts came too late has room for half of them, after a moment")
    func roomAfterLateFacts() async throws {
        try await Self.withWaiting(4, readFor: "0.4") { harbour in
            let lanes = try await harbour.queue.lanes(deadline: harbour.soon)
            let provider = ScriptedSender()
            let settings = Harbour.settings
            let deliverer = harbour.deliverer(provider, lanes: lanes)
            #expect(deliverer.room == settings.batch)
            let claim = try await harbour.queue.claim(
                lanes.filter { $0.credential == Harbour.apns }.map {
                    ClaimRequest(
                        lane: $0.id,
                        bounds: ClaimCursor.Bounds(lowTag: 0, dueFrom: nil, isFull: true),
                        quota: 100)
                }, lease: LeaseID(.random()), for: .seconds(60), deadline: harbour.soon)
            #expect(claim.jobs.count == 4)
            await deliverer.work(
                JobBatch(
                    jobs: claim.jobs, leaseEnds: claim.leaseEnds, clock: claim.clock,
                    isProbe: false),
                desk: JobDesk(
                    queue: harbour.queue, log: .silent, metrics: JobMetrics(Metrics()),
                    slots: JobSlots(total: 10, ringsFrom: 1, bell: JobBell()),
                    shutdown: Shutdown()))
            #expect(deliverer.pace.withLock { $0.limit } == 2)
            try await harbour.eventually("it rests for ever") { deliverer.room == 2 }
            #expect(provider.arrivals.isEmpty)
        }
    }

    @Test("the age of facts counts from before they are read")
    func ageOfFacts() async throws {
        try await Self.withWaiting(1, readFor: "0.5") { harbour in
            let sender = ScriptedSender()
            try await harbour.working([Harbour.apns: sender]) { try await harbour.settle() }
            let arrival = try #require(sender.arrivals.last)
            let startBy = try #require(sender.startBys.last)
            #expect(startBy.instant - arrival.at <= .milliseconds(500))
        }
    }

    @Test("a probe whose facts came too late makes the next one due at once")
    func lateProbe() async throws {
        try await Self.withWaiting(1, readFor: "1.2") { harbour in
            _ = try await harbour.queue.breakLanes(
                of: Harbour.apns, reason: "503", probeIn: .zero, deadline: harbour.soon)
            var settings = Harbour.settings
            // If the next one waited for its interval, it would not be sent here.
            settings.breakerProbe = .seconds(300)
            settings.poll = .milliseconds(50)
            let sender = ScriptedSender()
            try await harbour.working([Harbour.apns: sender], settings: settings) {
                try await harbour.eventually("it was not late") {
                    try await harbour.count(
                        "select count(*) from sineta.jobs where last_error = 'facts_late'") == 1
                }
                try await harbour.database.run("drop policy slow on sineta.devices")
                try await harbour.settle()
            }
            #expect(sender.arrivals.count == 1)
        }
    }

    /// Pushes of one alert that are decided and wait, in a database that takes its time for each of
    /// their phones.
    private static func withWaiting(
        _ pushes: Int, readFor seconds: String, _ body: (Harbour) async throws -> Void
    ) async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            // The shop has one phone already.
            for _ in 1..<pushes { try await harbour.phone(of: shop.user) }
            try await harbour.raise(shop.store)
            try await harbour.working([Harbour.apns: ScriptedSender(freeStreams: 0)]) {
                try await harbour.eventually("not decided") {
                    try await harbour.count(
                        "select count(*) from sineta.jobs where kind = 'push.deliver'") == pushes
                }
            }
            try await harbour.database.run(
                """
                create policy slow on sineta.devices as restrictive for select to sineta_worker
                using (pg_sleep(\(seconds)) is not null)
                """)
            try await body(harbour)
        }
    }
}
