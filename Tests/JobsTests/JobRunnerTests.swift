import Jobs
import Postgres
import Runtime
import Storage
import TestKit
import Testing
import Values

@Suite("The runner", .timeLimit(.minutes(3)))
struct JobRunnerTests {
    static let policy = JobPolicy { _, _ in .milliseconds(20) }

    @Test(
        "four workers that forget, stall and retry end every job once and lose none")
    func correctness() async throws {
        try await Bench.with { bench in
            let total = 4000
            let stores = (0..<20).map { _ in StoreID(.v7()) }
            for round in 0..<8 {
                try await bench.add(
                    (0..<500).map { number in
                        NewJob(
                            lane: number % 3 == 0 ? Bench.bulk : Bench.urgent, kind: "test",
                            store: stores[(number + round) % 20], raisedAt: .now())
                    })
            }
            let ledger = Ledger(expecting: total)
            let shutdown = Shutdown()
            let metrics = Metrics()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    let runner = try await runner(
                        bench, name: "worker-\(number)", lease: .seconds(2), slots: 100,
                        metrics: metrics, handler: FlakyHandler(ledger: ledger))
                    group.addTask { try await runner.run(until: shutdown) }
                }
                await ledger.whenComplete(watching: bench)
                shutdown.begin()
                try await group.waitForAll()
            }
            let dead = try await bench.dead
            #expect(ledger.endedTwice.isEmpty)
            #expect(ledger.ended.count + dead == total)
            #expect(try await bench.alive == 0)
            #expect(dead < total / 100)
        }
    }

    @Test("a job whose workers died five times is buried as poison, and the others go on")
    func poison() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(1)
            for _ in 0..<5 { _ = try await bench.claim(lease: .zero) }
            let good = try await bench.add(1)
            let ledger = Ledger(expecting: 1)
            try await Self.running(
                try await runner(
                    bench, name: "w", handler: FlakyHandler(ledger: ledger, faults: false))
            ) { await ledger.whenComplete(watching: bench) }
            #expect(ledger.ended == Set(good.map(\.id)))
            let letters = try await bench.pool.transaction(deadline: bench.soon) {
                try JobQueue.deadLetters(DeadLetterFilter(), before: nil, limit: 10, in: $0)
            }
            #expect(letters.map(\.reason) == ["poison"])
            #expect(letters.map(\.attempts) == [0])
        }
    }

    @Test("a job that its workers die of is buried, and none of those that were claimed with it")
    func innocents() async throws {
        try await Bench.with { bench in
            let poison = try await bench.add(1)
            let innocents = try await bench.add(25) + bench.add(25, to: Bench.bulk)
            let ledger = Ledger(expecting: 51)
            let handler = PoisonedHandler(ledger: ledger, poison: poison[0].id)
            try await Self.running(
                try await runner(bench, name: "w", lease: .milliseconds(500), handler: handler)
            ) { await ledger.whenComplete(watching: bench) }
            #expect(ledger.ended == Set(innocents.map(\.id)))
            let letters = try await bench.pool.transaction(deadline: bench.soon) {
                try JobQueue.deadLetters(DeadLetterFilter(), before: nil, limit: 100, in: $0)
            }
            #expect(letters.map(\.id) == poison.map(\.id))
            // More where the burial itself took longer than the short lease.
            #expect(letters.allSatisfy { $0.losses >= 5 })
            #expect(handler.suspectsAtOnce <= 1)
        }
    }

    @Test("the bell wakes a waiting runner long before its poll")
    func bell() async throws {
        try await Bench.with { bench in
            let ledger = Ledger(expecting: 2)
            let runner = try await runner(
                bench, name: "w", poll: .seconds(600),
                handler: FlakyHandler(ledger: ledger, faults: false))
            try await Self.running(runner) {
                for _ in 0..<2 {
                    _ = try await bench.add(1)
                    runner.bell.ring()
                }
                await ledger.whenComplete(watching: bench)
            }
            #expect(ledger.ended.count == 2)
        }
    }

    @Test("it never has more jobs in hand than slots")
    func slots() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(300)
            let handler = CountingHandler()
            let runner = try await runner(bench, name: "w", slots: 40, handler: handler)
            try await Self.running(runner) { await handler.ledger.wait(for: 300) }
            #expect(handler.most <= 40)
            #expect(handler.most > 10)
        }
    }

    @Test("asked to end, it claims no more, ends what is in hand, and leaves the rest untouched")
    func drain() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(25)
            let handler = HeldHandler()
            let runner = try await runner(
                bench, name: "w", lanes: [Bench.urgent], slots: 5, handler: handler)
            let shutdown = Shutdown()
            let service = Task { try await runner.run(until: shutdown) }
            await handler.arrived.wait(until: .after(.seconds(30)))
            shutdown.begin()
            handler.letGo.ring()
            try await service.value
            #expect(try await bench.alive == 20)
            let untouched = try await bench.count(
                """
                select count(*) from sineta.jobs
                where attempts = 0 and losses = 0 and lease_id is null and wake_at is null
                """)
            #expect(untouched == 20)
        }
    }

    @Test("asked to end while the database is away, it does not wait for the end of its lease")
    func drainWithoutDatabase() async throws {
        try await Bench.with { bench in
            let jobs = try await bench.add(3)
            let proxy = try bench.database.faultProxy()
            let pool = PostgresPool(
                try bench.database.configuration(.superuser, through: proxy).with(
                    role: JobQueue.role), name: "far", size: 4, log: .silent)
            let handler = HeldHandler()
            let runner = try await runner(
                bench, name: "w", lanes: [Bench.urgent], lease: .seconds(600),
                queue: JobQueue(pool: pool), handler: handler)
            let shutdown = Shutdown()
            let service = Task { try await runner.run(until: shutdown) }
            await handler.arrived.wait(until: .after(.seconds(30)))
            proxy.stop()
            let begin = ContinuousClock.now
            shutdown.begin()
            handler.letGo.ring()
            try await service.value
            #expect(ContinuousClock.now - begin < .seconds(60), "the lease lasts ten minutes")
            await pool.close()
            #expect(try await bench.alive == jobs.count, "they come back by their lease")
        }
    }

    @Test("paused lanes are probed and resume when the probe succeeds")
    func resume() async throws {
        try await Bench.with { bench in
            _ = try await bench.queue.pauseLanes(
                of: Bench.credential, reason: "InvalidProviderToken", probeIn: .zero,
                deadline: bench.soon)
            _ = try await bench.add(3, to: Bench.apns)
            let ledger = Ledger(expecting: 3)
            let runner = try await runner(
                bench, name: "w", lanes: [Bench.apns],
                handler: FlakyHandler(ledger: ledger, faults: false))
            try await Self.running(runner) { await ledger.whenComplete(watching: bench) }
            #expect(ledger.ended.count == 3)
            #expect(try await bench.queue.states(deadline: bench.soon).map(\.word) == [.open])
        }
    }

    @Test("the intake buries what nobody knows without an attempt, and moves the rest")
    func intake() async throws {
        try await Bench.with { bench in
            _ = try await bench.pool.query(
                "insert into sineta.jobs (kind) values ('good'), ('unknown'), ('broken')",
                deadline: bench.soon)
            let ledger = Ledger(expecting: 1)
            let intake = IntakeHandler { jobs in
                jobs.map {
                    switch $0.kind {
                    case "good": .lane(Bench.urgent)
                    case "broken": .undecodable
                    default: .unknownKind
                    }
                }
            }
            let metrics = Metrics()
            let sorter = try await runner(
                bench, name: "i", lanes: [.intake], metrics: metrics, handler: intake)
            let worker = try await runner(
                bench, name: "w", handler: FlakyHandler(ledger: ledger, faults: false))
            try await Self.running(sorter) {
                try await Self.running(worker) { await ledger.whenComplete(watching: bench) }
            }
            let dead = try await bench.pool.transaction(deadline: bench.soon) {
                try JobQueue.deadCounts(in: $0)
            }
            #expect(Set(dead.map(\.reason)) == ["unknown_kind", "undecodable"])
            let buried = metrics.render().split(separator: "\n").filter {
                $0.hasPrefix("sineta_jobs_buried_total{")
            }
            #expect(
                Set(buried) == [
                    #"sineta_jobs_buried_total{kind="",reason="unknown_kind"} 1"#,
                    #"sineta_jobs_buried_total{kind="broken",reason="undecodable"} 1"#,
                ])
            #expect(
                try await bench.count("select sum(attempts + losses) from sineta.jobs_dead") == 0)
        }
    }

    @Test("a write that lost against another is made again")
    func conflict() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(3)
            let handler = ConflictedHandler(pool: bench.pool)
            try await Self.running(
                try await runner(bench, name: "w", lease: .seconds(600), handler: handler)
            ) { await handler.ledger.whenComplete(watching: bench) }
            #expect(handler.ledger.ended.count == 3)
            #expect(try await bench.alive == 0)
        }
    }

    @Test("a burial of poison that fails is made again, and holds up none of the others")
    func burialFails() async throws {
        try await Bench.with { bench in
            let poison = try await bench.add(1)
            try await bench.database.run(
                """
                update sineta.jobs set losses = 5, wake_at = now() - interval '1 second';
                create sequence sineta.failures;
                create function sineta.fail_twice() returns trigger language plpgsql
                security definer as $$
                begin
                    if nextval('sineta.failures') <= 2 then
                        raise exception 'conflict' using errcode = '40001';
                    end if;
                    return new;
                end $$;
                create trigger fail_twice before insert on sineta.jobs_dead
                    for each row execute function sineta.fail_twice();
                """)
            let others = try await bench.add(20)
            let ledger = Ledger(expecting: 20)
            try await Self.running(
                try await runner(
                    bench, name: "w", lease: .seconds(600),
                    handler: FlakyHandler(ledger: ledger, faults: false))
            ) { await ledger.whenComplete(watching: bench) }
            #expect(ledger.ended == Set(others.map(\.id)))
            let letters = try await bench.pool.transaction(deadline: bench.soon) {
                try JobQueue.deadLetters(DeadLetterFilter(), before: nil, limit: 10, in: $0)
            }
            #expect(letters.map(\.id) == poison.map(\.id))
        }
    }

    private func runner(
        _ bench: Bench, name: String, lanes: [LaneID] = [Bench.urgent, Bench.bulk],
        lease: Duration = .seconds(30), slots: Int = 100, poll: Duration = .milliseconds(50),
        metrics: Metrics = Metrics(), queue: JobQueue? = nil, handler: any JobHandler
    ) async throws -> JobRunner {
        let all = try await bench.queue.lanes(deadline: bench.soon)
        return JobRunner(
            name: name, queue: queue ?? bench.queue, lanes: all.filter { lanes.contains($0.id) },
            configuration: JobRunner.Configuration(
                slots: slots, batch: 50, lease: lease, poll: poll, probeInterval: .milliseconds(50),
                pauseBase: .milliseconds(50), pauseCap: .milliseconds(200), policy: Self.policy),
            handler: handler, log: .silent, metrics: metrics)
    }

    private static func running(
        _ runner: JobRunner, _ body: () async throws -> Void
    ) async throws {
        let shutdown = Shutdown()
        let service = Task { try await runner.run(until: shutdown) }
        try await body()
        shutdown.begin()
        try await service.value
    }
}
