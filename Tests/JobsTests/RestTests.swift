import Runtime
import TestKit
import Testing
import Values

@testable import Jobs

@Suite("A store that rests", .timeLimit(.minutes(2)))
struct RestTests {
    let large = StoreID(.v7())
    let small = StoreID(.v7())

    @Test("one batch of a flood is in hand at a time, and the others' jobs are claimed beside it")
    func oneAtATime() async throws {
        try await Bench.with { bench in
            let handler = StoreHandler()
            let runner = try await Self.runner(bench, handler)
            _ = try await bench.add(30, store: large)
            _ = try await bench.add(1, store: small)
            handler.hold(large)
            let shutdown = Shutdown()
            let service = Task { try await runner.run(until: shutdown) }
            // Nothing is known of the stores before the first claim, which is full: the next follows
            // at once, and is the others'.
            await handler.arrived.wait(until: .after(.seconds(60)))
            _ = try await bench.add(30, store: large)
            for number in 0..<3 {
                _ = try await bench.add(1, store: small)
                runner.bell.ring()
                await handler.ledger.wait(for: number + 1)
            }
            #expect(handler.most <= 16, "of the flood in hand at once")
            handler.letGo()
            await handler.ledger.wait(for: 64)
            shutdown.begin()
            try await service.value
            #expect(handler.ledger.ended.count == 64)
        }
    }

    @Test("the end of a rest needs no bell and no poll")
    func end() async throws {
        try await Bench.with { bench in
            let handler = StoreHandler()
            let runner = try await Self.runner(bench, handler)
            // The first claim takes some of them, and shows the flood.
            _ = try await bench.add(40, store: large)
            _ = try await bench.add(1, store: small)
            let shutdown = Shutdown()
            let service = Task { try await runner.run(until: shutdown) }
            await handler.ledger.wait(for: 41)
            shutdown.begin()
            try await service.value
            #expect(handler.ledger.ended.count == 41)
        }
    }

    private static func runner(
        _ bench: Bench, _ handler: any JobHandler
    ) async throws -> JobRunner {
        var configuration = JobRunner.Configuration(
            slots: 100, batch: 16, poll: .seconds(20), policy: JobRunnerTests.policy)
        configuration.courtesy = Courtesy(batch: 8, longestTurn: .seconds(600))
        return JobRunner(
            name: "w", queue: bench.queue,
            lanes: try await bench.queue.lanes(deadline: bench.soon)
                .filter { $0.id == Bench.urgent },
            configuration: configuration, handler: handler, log: .silent, metrics: Metrics())
    }

    @Test("what was learned before a rest is known after it")
    func learning() {
        var state = RunnerState(lanes: [Self.lane(2, urgency: 10), Self.lane(3, urgency: 50)])
        let now = ContinuousClock.now
        func learn(_ room: JobRoom, bulk: Int) {
            let requests = state.requests(room, takesSuspect: true, at: now)
            let lanes = requests.map { request in
                let ready = request.lane == LaneID(3) ? min(bulk, request.quota) : 0
                return (
                    request.lane,
                    Claim.Lane.make(
                        request, due: 0, ready: ready, suspects: 0, lowestTag: ready > 0 ? 7 : nil,
                        hadNoSuspects: true, databaseTime: .now(), took: .zero, openSince: nil)
                )
            }
            state.learn(
                Claim(
                    jobs: [], lanes: Dictionary(uniqueKeysWithValues: lanes),
                    leaseEnds: .after(.seconds(30)), clock: DatabaseClock(.now(), at: now)),
                of: requests, in: room, at: now, jitter: 0.5)
        }
        learn(JobRoom(jobs: 8), bulk: 100)
        let before = state.requests(JobRoom(jobs: 8), takesSuspect: true, at: now)
        #expect(before.map(\.quota) == [2, 6], "bulk work waits")
        learn(JobRoom(jobs: 8, rest: JobRoom.Rest(store: large, end: now)), bulk: 0)
        let after = state.requests(JobRoom(jobs: 8), takesSuspect: true, at: now)
        #expect(after.map(\.quota) == before.map(\.quota))
        #expect(after.map(\.bounds) == before.map(\.bounds))
    }

    private static func lane(_ number: Int32, urgency: Int) -> Lane {
        Lane(
            id: LaneID(number), kind: "test", credential: Credential(name: ""), urgency: urgency)
    }

    @Test("a claim during a rest takes nothing that is due, and no suspect")
    func due() async throws {
        try await Bench.with { bench in
            // Their workers died: once, so that they are due, and twice, so that they are suspects.
            _ = try await bench.add(2, store: small)
            _ = try await bench.claim(quota: 1, lease: .zero)
            _ = try await bench.claim(quota: 2, lease: .zero)
            var state = RunnerState(lanes: [Self.lane(Bench.urgent.number, urgency: 10)])
            let now = ContinuousClock.now
            let room = JobRoom(jobs: 10, rest: JobRoom.Rest(store: large, end: now))
            for (room, count) in [(room, 0), (JobRoom(jobs: 10), 2)] {
                let requests = state.requests(room, takesSuspect: true, at: now)
                let claim = try await bench.queue.claim(
                    requests, passing: room.rest?.store, lease: LeaseID(.random()),
                    for: .seconds(30), deadline: bench.soon)
                #expect(claim.jobs.count == count)
                state.learn(claim, of: requests, in: room, at: now, jitter: 0.5)
            }
        }
    }
}

/// Ends its jobs at once, or holds those of one store until it is told to let go.
private final class StoreHandler: JobHandler {
    let ledger = Ledger()
    let arrived = JobBell()
    private let gate = JobBell()
    private let state = Lock((held: StoreID?.none, now: 0, most: 0))

    /// The most jobs of the held store in hand at once.
    var most: Int { state.withLock { $0.most } }

    func hold(_ store: StoreID) { state.withLock { $0.held = store } }

    func letGo() {
        state.withLock { $0.held = nil }
        gate.ring()
    }

    func work(_ batch: JobBatch, desk: JobDesk) async {
        let count = state.withLock { state in
            let count = batch.jobs.count { $0.store == state.held }
            state.now += count
            state.most = max(state.most, state.now)
            return count
        }
        if count > 0 {
            arrived.ring()
            await gate.wait(until: .after(.seconds(60)))
        }
        let ended = try? await desk.queue.finish(
            batch.jobs.map(\.held), deadline: .after(.seconds(20)))
        state.withLock { $0.now -= count }
        desk.release(batch)
        ledger.end(ended ?? [])
    }
}
