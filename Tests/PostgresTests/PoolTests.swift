import Runtime
import TestKit
import Testing
import Values

@testable import Postgres

@Suite struct PoolTests {
    /// Lets a body that runs on a pool's thread wait for the test, and the test for the body.
    private struct Latch {
        private let stream: AsyncStream<Void>
        let open: @Sendable () -> Void

        init() {
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            self.stream = stream
            open = { continuation.yield() }
        }

        func wait() async {
            for await _ in stream { return }
        }
    }

    /// The backends of two connections, which run something at the same time.
    private func pidsOfTwo(_ pool: PostgresPool) async throws -> Set<Int32> {
        let gates = [WakePair(), WakePair()]
        async let first = pool.transaction(deadline: .generous) { transaction in
            gates[0].wake()
            Pause.poll(gates[1].reader, until: .generous)
            return try transaction.query("SELECT pg_backend_pid()")[0].int32(0)
        }
        async let second = pool.transaction(deadline: .generous) { transaction in
            gates[1].wake()
            Pause.poll(gates[0].reader, until: .generous)
            return try transaction.query("SELECT pg_backend_pid()")[0].int32(0)
        }
        return Set([try await first, try await second])
    }

    @Test("waiters are served in the order they came")
    func fifo() async throws {
        try await withTestDatabase { database in
            let pool = try database.pool(size: 1)
            let order = Record<Int>()
            let started = Latch()
            let gate = WakePair()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await pool.transaction(deadline: .generous) { _ in
                        started.open()
                        Pause.poll(gate.reader, until: .generous)
                    }
                }
                await started.wait()
                for number in 1...20 {
                    group.addTask {
                        try await pool.transaction(deadline: .generous) { _ in order.add(number) }
                    }
                    #expect(try await eventually { pool.core.counts.waiting == number })
                }
                gate.wake()
                try await group.waitForAll()
            }
            #expect(order.all == Array(1...20))
        }
    }

    @Test("who waits past the deadline hears so, at the deadline")
    func waitingEnds() async throws {
        try await withTestDatabase { database in
            let pool = try database.pool(size: 1)
            let started = Latch()
            let gate = WakePair()
            async let holder: Void = pool.transaction(deadline: .generous) { _ in
                started.open()
                Pause.poll(gate.reader, until: .generous)
            }
            await started.wait()
            let begin = ContinuousClock.now
            await #expect(throws: PostgresError.poolTimeout) {
                try await pool.query("SELECT 1", deadline: .after(.milliseconds(100)))
            }
            let waited = ContinuousClock.now - begin
            #expect(waited >= .milliseconds(100))
            #expect(waited < .seconds(20))
            gate.wake()
            try await holder
            _ = try await pool.query("SELECT 1", deadline: .generous)
        }
    }

    @Test("however many deadlines pass at one moment, every waiter hears of its own")
    func manyDeadlines() async throws {
        let configuration = try PostgresConfiguration(url: "postgresql://u@127.0.0.1:1/d")
        let pool = PostgresPool(configuration, size: 1, log: .silent)
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<2000 {
                let deadline = Deadline.after(.microseconds(50_000 + number * 20))
                group.addTask {
                    do throws(PostgresError) {
                        _ = try await pool.query("SELECT 1", deadline: deadline)
                        return false
                    } catch {
                        return deadline.hasPassed
                    }
                }
            }
            for await heard in group { #expect(heard) }
        }
        #expect(pool.core.counts.waiting == 0)
    }

    @Test("connections are made when they are needed, and no more than the size")
    func grows() async throws {
        try await withTestDatabase { database in
            let pool = try database.pool(size: 3)
            #expect(pool.core.counts.open == 0)
            _ = try await pool.query("SELECT 1", deadline: .generous)
            #expect(pool.core.counts.open == 1)
            let arrived = Record<Int>()
            let gate = WakePair()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        try await pool.transaction(deadline: .generous) { _ in
                            arrived.add(number)
                            if arrived.all.count >= 3 { gate.wake() }
                            // Nobody takes the byte, so it lets all pass from then on.
                            Pause.poll(gate.reader, until: .generous)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(pool.core.counts.open == 3)
        }
    }

    @Test("after its backends were terminated the pool serves again, without a failed call")
    func terminatedIdle() async throws {
        try await withTestDatabase { database in
            let administrator = try database.pool(.superuser, size: 1)
            let pool = try database.pool(size: 2)
            _ = try await pool.query("SELECT 1", deadline: .generous)
            #expect(try await database.terminateBackends(administrator) == 1)
            #expect(
                try await eventually {
                    try await administrator.query(
                        """
                        SELECT count(*) FROM pg_stat_activity
                        WHERE datname = current_database() AND pid <> pg_backend_pid()
                        """, deadline: .generous
                    ).first?.int(0) == 0
                })
            let rows = try await pool.query("SELECT 2", deadline: .generous)
            #expect(try rows.first?.int(0) == 2)
        }
    }

    @Test("a backend terminated at work fails that call and drops every connection")
    func terminatedBusy() async throws {
        try await withTestDatabase { database in
            let administrator = try await database.holder()
            let pool = try database.pool(size: 2)
            let before = try await pidsOfTwo(pool)
            #expect(before.count == 2)
            async let victim = pool.query(TestDatabase.waiting, deadline: .generous)
            #expect(
                try await eventually {
                    try await administrator.query(
                        """
                        SELECT count(pg_terminate_backend(pid)) FROM pg_locks
                        WHERE locktype = 'advisory' AND NOT granted
                          AND database = (SELECT oid FROM pg_database
                            WHERE datname = current_database())
                        """, deadline: .generous
                    ).first?.int(0) == 1
                })
            do {
                _ = try await victim
                Issue.record("the statement survived its backend")
            } catch let error as PostgresError {
                #expect(error.sqlState == "57P01")
                #expect(error.isUnavailable)
            }
            let after = try await pool.query("SELECT pg_backend_pid()", deadline: .generous)
            #expect(!before.contains(try after[0].int32(0)))
        }
    }

    @Test("a closed pool refuses, and lets what runs end")
    func closes() async throws {
        try await withTestDatabase { database in
            let holder = try await database.holder()
            let pool = try database.pool(size: 1)
            async let running = pool.query(TestDatabase.waiting, deadline: .generous)
            #expect(try await eventually { try await TestDatabase.waiters(holder) == 1 })
            // It waits for what runs; what was asked before or after is refused.
            async let closing: Void = pool.close()
            await #expect(throws: PostgresError.closed) {
                try await pool.query("SELECT 1", deadline: .generous)
            }
            try await TestDatabase.release(holder)
            #expect(try await running.count == 1)
            await closing
        }
    }

    @Test("a server that is not there is named when the deadline ends the waiting")
    func unreachable() async throws {
        let configuration = try PostgresConfiguration(url: "postgresql://u@127.0.0.1:1/d")
        let pool = PostgresPool(configuration, log: .silent)
        let error = await #expect(throws: PostgresError.self) {
            try await pool.query("SELECT 1", deadline: .after(.seconds(3)))
        }
        guard case .unreachable(let words) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(words.contains("refused"))
    }

    @Test("a server that only reads is no primary, unless any will do")
    func readOnly() async throws {
        try await withTestDatabase { database in
            try await database.run(
                "ALTER DATABASE \"\(database.name)\" SET default_transaction_read_only = on")
            let pool = try database.pool(size: 1)
            let error = await #expect(throws: PostgresError.self) {
                try await pool.query("SELECT 1", deadline: .after(.seconds(5)))
            }
            #expect(error?.description.contains("read-only") == true)
            var configuration = try database.configuration()
            configuration.requiresPrimary = false
            let reader = PostgresPool(configuration, size: 1, log: .silent)
            _ = try await reader.query("SELECT 1", deadline: .generous)
        }
    }

    @Test("metrics tell size, use, waiting, time and errors")
    func metrics() async throws {
        try await withTestDatabase { database in
            let metrics = Metrics()
            let pool = try database.pool(size: 1, metrics: metrics)
            _ = try await pool.query("SELECT 1", deadline: .generous)
            _ = try? await pool.query("SELECT 1 / 0", deadline: .generous)
            #expect(try await eventually { pool.core.counts.inUse == 0 })
            let text = metrics.render()
            #expect(text.contains("postgres_pool_connections{pool=\"test\"} 1\n"))
            #expect(text.contains("postgres_pool_in_use{pool=\"test\"} 0\n"))
            #expect(text.contains("postgres_pool_waiting{pool=\"test\"} 0\n"))
            #expect(text.contains("postgres_pool_acquire_seconds_count{pool=\"test\"} 2\n"))
            #expect(text.contains("postgres_errors_total{pool=\"test\",code=\"22012\"} 1\n"))
        }
    }

    @Test("pauses between attempts grow to two seconds and are never alike", arguments: 1...12)
    func backoff(_ failures: Int) {
        let top = Duration.milliseconds(min(2000, 50 << (failures - 1)))
        for _ in 0..<50 {
            let pause = PoolCore.backoff(failures)
            #expect(pause <= top)
            #expect(pause >= top / 2)
        }
    }
}
