import Runtime
import TestKit
import Testing
import Values

@testable import Jobs

@Suite("A store that rests", .timeLimit(.minutes(2)))
struct RestTests {
    let large = StoreID(.v7())
    let small = StoreID(.v7())

    @Test("its jobs wait, the others' are claimed meanwhile, and its end needs no bell and no poll")
    func rest() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(30, store: large)
            let others = try await bench.add(1, store: small)
            let handler = CountingHandler()
            let isResting = Lock(true)
            let runner = JobRunner(
                name: "w", queue: bench.queue,
                lanes: try await bench.queue.lanes(deadline: bench.soon)
                    .filter { $0.id == Bench.urgent },
                configuration: JobRunner.Configuration(
                    slots: 100, poll: .seconds(600), policy: JobRunnerTests.policy),
                handler: handler, log: .silent, metrics: Metrics()
            ) { [large] in
                guard isResting.withLock({ $0 }) else { return .unbounded }
                return JobRoom(
                    jobs: 100,
                    rest: JobRoom.Rest(of: large, until: .now + .milliseconds(20)))
            }
            let shutdown = Shutdown()
            let service = Task { try await runner.run(until: shutdown) }
            await handler.ledger.wait(for: 1)
            #expect(handler.ledger.ended == Set(others.map(\.id)))
            isResting.withLock { $0 = false }
            await handler.ledger.wait(for: 31)
            shutdown.begin()
            try await service.value
            #expect(handler.ledger.ended.count == 31)
        }
    }

    @Test("a claim during a rest takes nothing that is due, and no suspect")
    func due() async throws {
        try await Bench.with { bench in
            // Their workers died: once, so that they are due, and twice, so that they are suspects.
            _ = try await bench.add(2, store: small)
            _ = try await bench.claim(quota: 1, lease: .zero)
            _ = try await bench.claim(quota: 2, lease: .zero)
            var state = RunnerState(lanes: [
                Lane(
                    id: Bench.urgent, kind: "test", credential: Credential(name: ""), urgency: 10)
            ])
            let now = ContinuousClock.now
            let room = JobRoom(jobs: 10, rest: JobRoom.Rest(of: large, until: now))
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
