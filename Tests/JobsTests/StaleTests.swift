import Jobs
import Storage
import TestKit
import Testing
import Values

@Suite("Jobs past their time in closed lanes", .timeLimit(.minutes(2)))
struct StaleTests {
    private static func jobs(_ count: Int, isStale: Bool) -> [NewJob] {
        let end = Timestamp.now() + (isStale ? .seconds(-60) : .seconds(3600))
        return (0..<count).map { _ in
            NewJob(
                lane: Bench.apns, kind: "test", store: StoreID(.zero), raisedAt: .now(),
                expiresAt: end)
        }
    }

    private static func look(
        _ bench: Bench, behind tag: Int64 = .min, upTo limit: Int = 10
    ) async throws -> StaleClaim {
        try await bench.queue.claimStale(
            behind: [Bench.apns: tag, Bench.urgent: .min], upTo: limit, lease: LeaseID(.random()),
            for: .seconds(30), deadline: bench.soon)
    }

    @Test("open lanes give none, closed ones what is past its time, once, and nothing that lives")
    func closed() async throws {
        try await Bench.with { bench in
            let stale = Self.jobs(3, isStale: true)
            try await bench.add(stale + Self.jobs(2, isStale: false))
            _ = try await bench.add(2, to: Bench.urgent)
            #expect(try await Self.look(bench).jobs.isEmpty)
            _ = try await bench.queue.switchOff(
                Bench.credential, reason: "not_configured", deadline: bench.soon)
            let found = try await Self.look(bench)
            #expect(Set(found.jobs.map(\.id)) == Set(stale.map(\.id)))
            #expect(found.lastTags.isEmpty)
            #expect(try await Self.look(bench).jobs.isEmpty, "they are held")
            let ended = try await bench.queue.finish(found.jobs.map(\.held), deadline: bench.soon)
            #expect(ended.count == 3)
        }
    }

    @Test("what was tried before is found as well, and what a worker died with")
    func due() async throws {
        try await Bench.with { bench in
            try await bench.add(Self.jobs(3, isStale: true))
            let held = try await bench.claim([Bench.apns], quota: 2, lease: .zero).jobs.map(\.held)
            _ = try await bench.queue.giveBack([held[0]], deadline: bench.soon)
            // The other one's lease is over, and it is lost once more.
            _ = try await bench.claim([Bench.apns], quota: 1, lease: .zero)
            _ = try await bench.queue.switchOff(
                Bench.credential, reason: "not_configured", deadline: bench.soon)
            #expect(try await Self.look(bench).jobs.count == 3)
        }
    }

    @Test("what lives at the head of a lane does not hide what is past its time behind it")
    func pages() async throws {
        try await Bench.with { bench in
            try await bench.add(Self.jobs(25, isStale: false))
            let stale = Self.jobs(2, isStale: true)
            try await bench.add(stale)
            _ = try await bench.queue.switchOff(
                Bench.credential, reason: "not_configured", deadline: bench.soon)
            var tag: Int64? = .min
            var found: [JobID] = []
            var looks = 0
            while let behind = tag {
                let claim = try await Self.look(bench, behind: behind)
                found += claim.jobs.map(\.id)
                tag = claim.lastTags[Bench.apns]
                looks += 1
            }
            #expect(Set(found) == Set(stale.map(\.id)))
            #expect(looks == 3, "ten jobs at a time")
        }
    }
}
