import Jobs
import Storage
import TestKit
import Testing
import Values

@Suite("Pauses and breakers", .timeLimit(.minutes(2)))
struct LaneStateTests {
    @Test("a broken credential's lanes give nothing, others go on, and one worker makes the edge")
    func broken() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(2, to: Bench.apns)
            _ = try await bench.add(2, to: Bench.urgent)
            for expected in [true, false] {
                let edge = try await bench.queue.breakLanes(
                    of: Bench.credential, reason: "503", probeIn: .seconds(60),
                    deadline: bench.soon)
                #expect(edge == expected)
            }
            let claim = try await bench.claim([Bench.apns, Bench.apnsBulk, Bench.urgent])
            #expect(Set(claim.jobs.map(\.lane)) == [Bench.urgent])
            #expect(claim.lanes[Bench.apns] == nil && claim.lanes[Bench.apnsBulk] == nil)
            let states = try await bench.queue.states(deadline: bench.soon)
            #expect(states.map(\.word) == [.broken])
            #expect(states.map(\.reason) == ["503"])
        }
    }

    @Test("one probe at a time takes one job of a broken credential, urgent before bulk")
    func probe() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(2, to: Bench.apnsBulk)
            let urgent = try await bench.add(2, to: Bench.apns)
            #expect(try await probe(bench) == nil)
            _ = try await bench.queue.breakLanes(
                of: Bench.credential, reason: "503", probeIn: .zero, deadline: bench.soon)
            let first = try #require(try await probe(bench))
            #expect(first.jobs.count == 1)
            #expect(urgent.map(\.id).contains(first.jobs[0].id))
            #expect(try await probe(bench) == nil)
        }
    }

    @Test("a probe with nothing to send does not put the next one off")
    func idleProbe() async throws {
        try await Bench.with { bench in
            _ = try await bench.queue.breakLanes(
                of: Bench.credential, reason: "503", probeIn: .zero, deadline: bench.soon)
            #expect(try await probe(bench) == nil)
            _ = try await bench.add(1, to: Bench.apns)
            #expect(try await probe(bench)?.jobs.count == 1)
        }
    }

    @Test("what is past its life is no probe: it comes beside the first that lives")
    func staleProbe() async throws {
        try await Bench.with { bench in
            let old = Timestamp.now() - .seconds(60)
            let stale = (0..<3).map { _ in
                NewJob(
                    lane: Bench.apns, kind: "test", store: StoreID(.zero), raisedAt: old,
                    expiresAt: old)
            }
            try await bench.add(stale)
            let live = try await bench.add(2, to: Bench.apnsBulk)
            _ = try await bench.queue.breakLanes(
                of: Bench.credential, reason: "503", probeIn: .zero, deadline: bench.soon)
            let claim = try #require(try await probe(bench))
            let ids = Set(claim.jobs.map(\.id))
            #expect(ids.isSuperset(of: stale.map(\.id)))
            #expect(live.filter { ids.contains($0.id) }.count == 1)
        }
    }

    @Test("a due retry can be the probe when nothing else is there")
    func dueProbe() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(1, to: Bench.apns)
            let held = try await bench.claim([Bench.apns]).jobs.map(\.held)
            _ = try await bench.queue.giveBack(held, deadline: bench.soon)
            _ = try await bench.queue.breakLanes(
                of: Bench.credential, reason: "503", probeIn: .zero, deadline: bench.soon)
            #expect(try await probe(bench)?.jobs.map(\.id) == held.map(\.id))
        }
    }

    @Test("a pause takes the breaker's place, is probed by one worker, and opens again")
    func pause() async throws {
        try await Bench.with { bench in
            let queue = bench.queue
            let soon = bench.soon
            let credential = Bench.credential
            _ = try await queue.breakLanes(
                of: credential, reason: "503", probeIn: .zero, deadline: soon)
            #expect(
                try await queue.pauseLanes(
                    of: credential, reason: "InvalidProviderToken", probeIn: .zero, deadline: soon))
            #expect(
                try await !queue.breakLanes(
                    of: credential, reason: "503", probeIn: .zero, deadline: soon))
            for expected in [true, false] {
                let taken = try await queue.takePauseProbe(
                    of: credential, base: .seconds(60), cap: .seconds(900), deadline: soon)
                #expect(taken == expected)
            }
            let next = try await queue.states(deadline: soon).first?.nextProbeAt
            let wait = try #require(next) - .now()
            #expect(wait > .seconds(100) && wait <= .seconds(120))
            #expect(try await !queue.openLanes(of: credential, from: .broken, deadline: soon))
            #expect(try await queue.openLanes(of: credential, from: .paused, deadline: soon))
            _ = try await bench.add(1, to: Bench.apns)
            #expect(try await bench.claim([Bench.apns]).jobs.count == 1)
        }
    }

    @Test("a probe that was put off while the clock was a day ahead is due, one of today is not")
    func probeFarAhead() async throws {
        try await Bench.with { bench in
            let queue = bench.queue
            _ = try await bench.add(3, to: Bench.apns)
            _ = try await queue.breakLanes(
                of: Bench.credential, reason: "503", probeIn: .seconds(90), deadline: bench.soon)
            #expect(try await probe(bench) == nil)
            try await bench.database.run(
                "update sineta.lane_states set next_probe_at = now() + interval '1 day'")
            #expect(try await probe(bench)?.jobs.count == 1)
            #expect(try await probe(bench) == nil, "it has put the next one off")

            _ = try await queue.pauseLanes(
                of: Bench.credential, reason: "InvalidProviderToken", probeIn: .seconds(900),
                deadline: bench.soon)
            #expect(try await !pauseProbe(bench))
            try await bench.database.run(
                "update sineta.lane_states set next_probe_at = now() + interval '1 day'")
            #expect(try await pauseProbe(bench))
            #expect(try await !pauseProbe(bench))
        }
    }

    @Test("lanes are open since an answer of the provider, not since somebody has the credential")
    func openSince() async throws {
        try await Bench.with { bench in
            let queue = bench.queue
            _ = try await queue.switchOff(
                Bench.credential, reason: "not_configured", deadline: bench.soon)
            #expect(try await bench.claim([Bench.apns]).lanes.isEmpty)
            #expect(try await queue.switchOn(Bench.credential, deadline: bench.soon))
            #expect(try await !queue.switchOn(Bench.credential, deadline: bench.soon))
            let lane = try #require(try await bench.claim([Bench.apns]).lanes[Bench.apns])
            #expect(lane.openSince == nil)
            _ = try await queue.breakLanes(
                of: Bench.credential, reason: "503", probeIn: .zero, deadline: bench.soon)
            #expect(try await !queue.switchOn(Bench.credential, deadline: bench.soon))
            _ = try await queue.openLanes(
                of: Bench.credential, from: .broken, deadline: bench.soon)
            #expect(try await bench.claim([Bench.apns]).lanes[Bench.apns]?.openSince != nil)
        }
    }

    private func pauseProbe(_ bench: Bench) async throws -> Bool {
        try await bench.queue.takePauseProbe(
            of: Bench.credential, base: .seconds(60), cap: .seconds(900), deadline: bench.soon)
    }

    private func probe(_ bench: Bench) async throws -> Claim? {
        try await bench.queue.claimProbe(
            of: Bench.credential, every: .seconds(60), lease: LeaseID(.random()),
            for: .seconds(30), deadline: bench.soon)
    }
}
