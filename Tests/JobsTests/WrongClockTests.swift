import Jobs
import Postgres
import Runtime
import Storage
import TestKit
import Testing
import Values

/// Jobs as a database leaves them whose clock was a day ahead and came back.
@Suite("Jobs that were put off by a wrong clock", .timeLimit(.minutes(2)))
struct WrongClockTests {
    @Test("what no lease and no wait can reach comes near: due, or with its holder for one lease")
    func comesNear() async throws {
        try await Bench.with { bench in
            let waiting = try await job(bench)
            let held = try await job(bench)
            let ended = try await job(bench, life: .seconds(3600))
            let later = try await job(bench, life: .seconds(86_400 * 2))
            let asked = try await job(bench, life: .seconds(86_400 * 2))
            let suspect = try await job(bench)
            try await bench.database.run(
                """
                update sineta.jobs set wake_at = now() + interval '1 day';
                update sineta.jobs set lease_id = gen_random_uuid() where id = '\(held)';
                update sineta.jobs set losses = 2 where id = '\(suspect)';
                update sineta.jobs set created_at = now() + interval '1 day' where id = '\(later)';
                """)
            let count = try await bench.queue.bringNear(
                [Bench.urgent], lease: .seconds(30), deadline: bench.soon)
            #expect(count == 5)
            #expect(try await seconds(bench, asked) > 86_000, "a provider may ask for that")
            for id in [waiting, ended, later, suspect] {
                #expect(try await seconds(bench, id) <= 0)
            }
            let lease = try await seconds(bench, held)
            #expect(lease > 0 && lease <= 30)
            #expect(
                try await bench.count(
                    "select count(*) from sineta.jobs where lease_id is not null") == 1)
            let again = try await bench.queue.bringNear(
                [Bench.urgent], lease: .seconds(30), deadline: bench.soon)
            #expect(again == 0)
        }
    }

    @Test("waits and leases of up to an hour stay as they are")
    func stays() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(3)
            let held = try await bench.claim(quota: 2, lease: .seconds(3600)).jobs.map(\.held)
            _ = try await bench.queue.postpone(
                [Postponement(job: held[0], wait: .seconds(3600), countsAsAttempt: true)],
                deadline: bench.soon)
            let count = try await bench.queue.bringNear(
                [Bench.urgent], lease: .seconds(30), deadline: bench.soon)
            #expect(count == 0)
        }
    }

    @Test("a runner finds them by itself")
    func runner() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(5)
            try await bench.database.run(
                "update sineta.jobs set wake_at = now() + interval '1 day'")
            let handler = CountingHandler()
            let lanes = try await bench.queue.lanes(deadline: bench.soon)
                .filter { $0.id == Bench.urgent }
            let runner = JobRunner(
                name: "runner", queue: bench.queue, lanes: lanes,
                configuration: JobRunner.Configuration(
                    slots: 10, poll: .milliseconds(50),
                    policy: JobPolicy { _, _ in .milliseconds(20) }),
                handler: handler, log: .silent, metrics: Metrics())
            let shutdown = Shutdown()
            async let run: Void = runner.run(until: shutdown)
            await handler.ledger.wait(for: 5)
            shutdown.begin()
            try await run
            #expect(handler.ledger.ended.count == 5)
        }
    }

    private func job(_ bench: Bench, life: Duration? = nil) async throws -> JobID {
        let job = NewJob(
            lane: Bench.urgent, kind: "test", store: StoreID(.zero), raisedAt: .now(),
            expiresAt: life.map { .now() + $0 })
        try await bench.add([job])
        return job.id
    }

    /// How far off the job is.
    private func seconds(_ bench: Bench, _ id: JobID) async throws -> Int {
        try await bench.pool.query(
            "select extract(epoch from wake_at - now())::bigint from sineta.jobs where id = $1",
            .id(id), deadline: bench.soon
        ).first?.int(0) ?? .max
    }
}
