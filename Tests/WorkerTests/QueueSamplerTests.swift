import Jobs
import Postgres
import Runtime
import Storage
import TestKit
import Testing
import Values

@testable import Worker

@Suite("Measuring the queue", .timeLimit(.minutes(2)))
struct QueueSamplerTests {
    @Test("jobs by lane and state, the dead by reason, closed lanes and what holds vacuum up")
    func figures() async throws {
        try await Harbour.with { harbour in
            try await harbour.run(
                """
                insert into sineta.jobs (kind, lane, wake_at, lease_id, created_at) values
                  ('push.deliver', 10, null, null, now() - interval '100 s'),
                  ('push.deliver', 10, now() + interval '1 h', null, now()),
                  ('push.deliver', 10, now() + interval '30 s', gen_random_uuid(), now())
                """)
            try await harbour.run(
                """
                insert into sineta.jobs_dead (kind, lane, reason)
                select 'push.deliver', 10, 'BadTopic' from generate_series(1, 3)
                """)
            try await harbour.run(
                """
                insert into sineta.lane_states (credential, environment, state, since)
                values ('apns', 'production', 'paused', now())
                """)
            let metrics = Metrics()
            let sampler = QueueSampler(queue: harbour.queue, log: .silent, metrics: metrics)
            try await sampler.sample()
            let lane =
                #"{kind="push.deliver",provider="apns",environment="production",urgency="10""#
            let text = metrics.render()
            for state in ["ready", "scheduled", "leased"] {
                #expect(text.contains("sineta_jobs\(lane),state=\"\(state)\"} 1\n"), "\(state)")
            }
            let oldest = try #require(
                Self.value(of: "sineta_jobs_oldest_due_seconds\(lane)}", text))
            #expect((100..<160).contains(oldest))
            #expect(
                text.contains(
                    #"sineta_dead_letters{kind="push.deliver",reason="BadTopic"} 3"# + "\n"))
            #expect(
                text.contains(
                    #"sineta_lane_closed{provider="apns",environment="production",state="paused"} 1"#
                ))
            #expect(text.contains("sineta_jobs_dead_rows "))
        }
    }

    @Test("what waits for a database that is away ends with the process, and does not hold it up")
    func endsWithTheProcess() async throws {
        // Nobody listens at this port.
        let metrics = Metrics()
        let pool = PostgresPool(
            try PostgresConfiguration(url: "postgres://nobody@127.0.0.1:1/nothing"),
            name: "worker", size: 2, log: .silent, metrics: metrics)
        let shutdown = Shutdown()
        let services: [any Service] = [
            QueueSampler(queue: JobQueue(pool: pool), log: .silent, metrics: Metrics()),
            Maintainer(
                pool: pool, settings: WorkerSettings(), log: .silent, metrics: Metrics()),
        ]
        let group = ServiceGroup(services, log: .silent)
        let running = Task { try await group.run(until: shutdown, grace: .seconds(60)) }
        let bell = JobBell()
        while !metrics.render().contains("postgres_pool_waiting{pool=\"worker\"} 2") {
            await bell.wait(until: .after(.milliseconds(5)))
        }
        let begin = ContinuousClock.now
        shutdown.begin()
        try await running.value
        #expect(ContinuousClock.now - begin < .seconds(10))
        await pool.close()
    }

    @Test("a transaction that is left open shows as the oldest snapshot")
    func oldestSnapshot() async throws {
        try await Harbour.with { harbour in
            let metrics = Metrics()
            let sampler = QueueSampler(queue: harbour.queue, log: .silent, metrics: metrics)
            // The same login as the worker's: of others only a privileged role sees snapshots.
            let holder = try harbour.database.pool(size: 1)
            let opened = Shutdown()
            let gate = ThreadGate()
            gate.close()
            defer { gate.open() }
            let holding = Task {
                try await holder.transaction(deadline: .after(.seconds(60))) { transaction in
                    _ = try transaction.query(
                        "set transaction isolation level repeatable read")
                    _ = try transaction.query("select count(*) from pg_class")
                    opened.begin()
                    // On the connection's own thread, which may wait.
                    gate.pass()
                }
            }
            await opened.wait()
            try await sampler.sample()
            gate.open()
            try await holding.value
            let held = try #require(
                Self.value(of: "sineta_oldest_snapshot_seconds", metrics.render()))
            #expect(held > 0)
        }
    }

    @Test("a measure that takes too long is ended by the server and changes nothing")
    func bounded() async throws {
        try await Harbour.with { harbour in
            try await harbour.run(
                """
                insert into sineta.jobs (kind, lane, wake_at)
                select 'push.deliver', 10, null from generate_series(1, 50000)
                """)
            let error = await #expect(throws: PostgresError.self) {
                _ = try await harbour.queue.measure(
                    upTo: 1_000_000, within: .milliseconds(1), deadline: .after(.seconds(20)))
            }
            #expect(error?.sqlState == "57014")
        }
    }

    private static func value(of series: String, _ text: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix("\(series) ") }
            .flatMap { Double($0.dropFirst(series.count + 1)) }
    }
}
