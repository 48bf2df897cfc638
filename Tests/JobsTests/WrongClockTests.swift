import Jobs
import Postgres
import Runtime
import Storage
import TestKit
import Testing
import Values

/// Jobs as a database leaves them whose clock was ahead and came back.
@Suite("Jobs that were timed by a wrong clock", .timeLimit(.minutes(2)))
struct WrongClockTests {
    /// What writes a time, and the seconds from then until it.
    enum Way: CaseIterable {
        case claim, probe, suspect, chunk, postpone, giveBack, place, insert

        var seconds: Int {
            switch self {
            case .claim, .probe, .suspect: 40
            case .chunk: 50
            case .postpone: 3000
            case .giveBack, .place, .insert: 0
            }
        }

        var isHeld: Bool { seconds > 0 && self != .postpone }
    }

    @Test(
        "a lease or wait of an hour ahead begins anew, as long as it was",
        arguments: Way.allCases)
    func beginsAnew(way: Way) async throws {
        try await Bench.with { bench in
            let lane = try await write(way, bench)
            try await passBack("1 hour", bench)
            let before = try await bench.count("select 1 from sineta.jobs where lease_id is null")
            let count = try await bench.queue.bringNear(
                [lane], lease: .seconds(30), deadline: bench.soon)
            #expect(count == 1)
            let left = try await seconds(bench)
            #expect(left > way.seconds - 20 && left <= way.seconds, "\(left)")
            let after = try await bench.count("select 1 from sineta.jobs where lease_id is null")
            #expect(before == after && after == (way.isHeld ? 0 : 1))
            let again = try await bench.queue.bringNear(
                [lane], lease: .seconds(30), deadline: bench.soon)
            #expect(again == 0)
        }
    }

    @Test("a wait of months is as long as it was where summer time begins or ends in between")
    func summerTime() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(5)
            let held = try await bench.claim().jobs.map(\.held)
            let waits = held.enumerated().map { number, job in
                Postponement(
                    job: job, wait: .seconds((number + 1) * 60 * 86_400), countsAsAttempt: true)
            }
            _ = try await bench.queue.postpone(waits, deadline: bench.soon)
            try await passBack("1 hour", bench)
            let pool = PostgresPool(
                JobQueue.login(try bench.database.configuration(.superuser))
                    .with(setting: "timezone", "EST5EDT"),
                name: "zoned", size: 1, log: .silent)
            let count = try await JobQueue(pool: pool).bringNear(
                [Bench.urgent], lease: .seconds(30), deadline: bench.soon)
            #expect(count == 5)
            let whole = try await bench.count(
                """
                select count(*) from sineta.jobs
                where extract(epoch from wake_at - timed_at)::bigint % 86400 = 0
                """)
            #expect(whole == 5)
            await pool.close()
        }
    }

    @Test("what was written by the clock of now stays, however long it is, and so do small jumps")
    func stays() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(3)
            let held = try await bench.claim(quota: 2, lease: .seconds(3600)).jobs.map(\.held)
            _ = try await bench.queue.postpone(
                [Postponement(job: held[0], wait: .seconds(86_400), countsAsAttempt: true)],
                deadline: bench.soon)
            for jump in ["0", "5 seconds"] {
                try await passBack(jump, bench)
                let count = try await bench.queue.bringNear(
                    [Bench.urgent], lease: .seconds(30), deadline: bench.soon)
                #expect(count == 0)
            }
        }
    }

    @Test("a runner finds them by itself")
    func runner() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(5)
            let held = try await bench.claim().jobs.map(\.held)
            _ = try await bench.queue.giveBack(held, deadline: bench.soon)
            try await passBack("1 hour", bench)
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

    /// One job to which this has happened, and its lane. Nothing before it has left a time of
    /// writing.
    private func write(_ way: Way, _ bench: Bench) async throws -> LaneID {
        if way == .insert {
            try await bench.database.run(
                "insert into sineta.jobs (lane, kind) values (\(Bench.urgent.number), 'test')")
            return Bench.urgent
        }
        _ = try await bench.add(1, to: way == .probe ? Bench.apns : Bench.urgent)
        let lease = Duration.seconds(way.seconds)
        switch way {
        case .claim: _ = try await bench.claim(lease: lease)
        case .suspect:
            try await bench.database.run("update sineta.jobs set losses = 2, wake_at = now()")
            _ = try await bench.claim(lease: lease)
        case .probe:
            _ = try await bench.queue.breakLanes(
                of: Bench.credential, reason: "503", probeIn: .zero, deadline: bench.soon)
            _ = try await bench.queue.claimProbe(
                of: Bench.credential, every: .seconds(5), lease: LeaseID(.random()), for: lease,
                deadline: bench.soon)
            return Bench.apns
        case .chunk:
            let job = try await hold(bench)
            _ = try await bench.pool.transaction(deadline: bench.soon) {
                try JobQueue.advance(job, args: Array("{}".utf8), lease: lease, in: $0)
            }
        case .postpone:
            _ = try await bench.queue.postpone(
                [Postponement(job: hold(bench), wait: lease, countsAsAttempt: true)],
                deadline: bench.soon)
        case .giveBack:
            _ = try await bench.queue.giveBack([hold(bench)], deadline: bench.soon)
        case .place:
            _ = try await bench.queue.place(
                [(job: hold(bench), lane: Bench.bulk)], deadline: bench.soon)
            return Bench.bulk
        case .insert: break
        }
        return Bench.urgent
    }

    private func hold(_ bench: Bench) async throws -> HeldJob {
        let job = try #require(try await bench.claim().jobs.first)
        try await bench.database.run("update sineta.jobs set timed_at = null")
        return job.held
    }

    /// As if all times had been written by a clock that was so much ahead.
    private func passBack(_ jump: String, _ bench: Bench) async throws {
        try await bench.database.run(
            """
            update sineta.jobs set wake_at = wake_at + interval '\(jump)',
                timed_at = timed_at + interval '\(jump)'
            """)
    }

    /// How far off the one job is.
    private func seconds(_ bench: Bench) async throws -> Int {
        try await bench.count(
            "select ceil(extract(epoch from wake_at - now()))::bigint from sineta.jobs")
    }
}
