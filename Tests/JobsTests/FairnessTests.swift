import Jobs
import Storage
import TestKit
import Testing
import Values

@Suite("Fairness among stores", .timeLimit(.minutes(2)))
struct FairnessTests {
    let large = StoreID(.v7())
    let small = StoreID(.v7())

    @Test("one job of a small store comes with the next claim, whatever a large one has waiting")
    func smallStore() async throws {
        try await Bench.with { bench in
            for _ in 0..<10 { _ = try await bench.add(1000, store: large) }
            // Time has moved: the large store has been served for a while.
            for _ in 0..<3 { _ = try await bench.claim(quota: 200) }
            _ = try await bench.add(1, store: small)
            let stores = try await bench.claim(quota: 200).jobs.map(\.store)
            #expect(stores.contains(small))
            #expect(stores.count { $0 == large } == 199)
        }
    }

    @Test("a claim that passes a store over takes the others' among the first")
    func passedOver() async throws {
        try await Bench.with { bench in
            for _ in 0..<5 { _ = try await bench.add(400, store: large) }
            _ = try await bench.claim(quota: 200)
            _ = try await bench.add(2, store: small)
            let request = ClaimRequest(
                lane: Bench.urgent,
                bounds: ClaimCursor.Bounds(lowTag: 0, dueFrom: nil, isFull: true), quota: 8,
                suspectRank: nil)
            var stores: [[StoreID]] = []
            for _ in 0..<2 {
                let claim = try await bench.queue.claim(
                    [request], passing: large, lease: LeaseID(.random()), for: .seconds(30),
                    deadline: bench.soon)
                stores.append(claim.jobs.map(\.store))
            }
            #expect(stores == [[small, small], []])
            let rest = try await bench.claim(quota: 8).jobs.map(\.store)
            #expect(rest == [StoreID](repeating: large, count: 8))
        }
    }

    @Test(
        "a store stays among the first for a hundred of its jobs that are claimed in another's rest"
    )
    func window() async throws {
        try await Bench.with { bench in
            for _ in 0..<2 { _ = try await bench.add(400, store: large) }
            let request = ClaimRequest(
                lane: Bench.urgent,
                bounds: ClaimCursor.Bounds(lowTag: 0, dueFrom: nil, isFull: false), quota: 8,
                suspectRank: nil)
            let third = StoreID(.v7())
            for round in 0..<120 {
                let store = round < 90 ? small : third
                _ = try await bench.add(1, store: store)
                let claim = try await bench.queue.claim(
                    [request], passing: large, lease: LeaseID(.random()), for: .seconds(30),
                    deadline: bench.soon)
                #expect(claim.jobs.map(\.store) == [store], "round \(round)")
            }
        }
    }

    @Test("stores with work waiting are served in equal parts")
    func equalParts() async throws {
        try await Bench.with { bench in
            for _ in 0..<5 { _ = try await bench.add(400, store: large) }
            _ = try await bench.add(400, store: small)
            let stores = try await bench.claim(quota: 400).jobs.map(\.store)
            let share = stores.count { $0 == small }
            #expect(share > 180 && share < 220)
        }
    }

    @Test("a store that used idle capacity is not punished for it later")
    func idleCapacity() async throws {
        try await Bench.with { bench in
            for _ in 0..<5 { _ = try await bench.add(400, store: large) }
            for _ in 0..<5 {
                let jobs = try await bench.claim(quota: 400).jobs
                _ = try await bench.queue.finish(jobs.map(\.held), deadline: bench.soon)
            }
            _ = try await bench.add(400, store: large)
            _ = try await bench.add(400, store: small)
            let stores = try await bench.claim(quota: 400).jobs.map(\.store)
            let share = stores.count { $0 == large }
            #expect(share > 180 && share < 220)
        }
    }

    @Test("a store's own jobs keep their order")
    func order() async throws {
        try await Bench.with { bench in
            var added = try await bench.add(50, store: large).map(\.id)
            added += try await bench.add(50, store: large).map(\.id)
            var taken: [JobID] = []
            for _ in 0..<20 {
                let jobs = try await bench.claim(quota: 5).jobs
                taken += jobs.map(\.id).sorted { left, right in
                    added.firstIndex(of: left) ?? 0 < added.firstIndex(of: right) ?? 0
                }
            }
            #expect(taken == added)
        }
    }

    @Test("each lane has a time of its own")
    func lanes() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(500, to: Bench.urgent, store: large)
            for _ in 0..<5 { _ = try await bench.claim([Bench.urgent], quota: 100) }
            _ = try await bench.add(200, to: Bench.bulk, store: large)
            _ = try await bench.add(1, to: Bench.bulk, store: small)
            let stores = try await bench.claim([Bench.bulk], quota: 20).jobs.map(\.store)
            #expect(stores.contains(small))
        }
    }
}
