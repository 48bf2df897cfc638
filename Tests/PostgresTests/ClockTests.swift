import Runtime
import TestKit
import Testing
import Values

@testable import Postgres

@Suite("The database's clock")
struct ClockTests {
    private let wrong = Timestamp(seconds: 1_000_000)

    @Test("it is read again and again, runs on in between, and goes on without the database")
    func readings() async throws {
        try await withTestDatabase { database in
            let pool = try database.pool(size: 1)
            let clock = PostgresClock(
                pool, log: .silent, interval: .milliseconds(5), system: { [wrong] in wrong })
            #expect(clock.now() == wrong)
            let shutdown = Shutdown()
            let running = Task { try await clock.run(until: shutdown) }
            #expect(try await eventually { clock.now() != wrong })
            shutdown.begin()
            try await running.value
            await pool.close()
            let first = clock.now()
            let off = Timestamp.now() - first
            #expect(off > .seconds(-5) && off < .seconds(5), "\(off)")
            #expect(try await eventually { clock.now() > first })
        }
    }

    @Test("a database that is away is asked again, and its error is told once")
    func away() async throws {
        let lines = Record<String>()
        let rounds = Lock(0)
        let clock = PostgresClock(
            log: Log(format: .text) { lines.add($0) }, interval: .milliseconds(1),
            system: { [wrong] in wrong }
        ) { _ throws(PostgresError) in
            rounds.withLock { $0 += 1 }
            throw .unreachable("nobody is there")
        }
        let shutdown = Shutdown()
        let running = Task { try await clock.run(until: shutdown) }
        // The third is asked when the second has failed and was told or not.
        #expect(try await eventually { rounds.withLock { $0 } >= 3 })
        shutdown.begin()
        try await running.value
        #expect(lines.all.count == 1 && lines.all[0].contains("nobody is there"), "\(lines.all)")
        #expect(clock.now() == wrong)
    }

    @Test("a reading that took long is dropped, unless there is none or the last took as long")
    func slow() async throws {
        let start = ContinuousClock.now
        let state = Lock((at: Duration.zero, took: Duration.zero))
        let epoch = Timestamp(seconds: 2_000_000)
        let clock = PostgresClock(
            log: .silent, interval: .seconds(1), system: { [wrong] in wrong },
            instant: { state.withLock { start + $0.at } }
        ) { _ throws(PostgresError) in
            // The database answers at once, and the answer takes all the time.
            state.withLock { state in
                let time = epoch + state.at
                state.at += state.took
                return time
            }
        }
        func off(readingFor took: Duration) async throws -> Duration {
            state.withLock { $0.took = took }
            try await clock.read(deadline: .generous)
            return clock.now() - (epoch + state.withLock { $0.at })
        }
        #expect(try await off(readingFor: .seconds(1)) == .milliseconds(-500))
        #expect(try await off(readingFor: .milliseconds(1500)) == .milliseconds(-750))
        #expect(try await off(readingFor: .milliseconds(20)) == .milliseconds(-10))
        #expect(try await off(readingFor: .milliseconds(500)) == .milliseconds(-10))
        #expect(try await off(readingFor: .milliseconds(80)) == .milliseconds(-40))
    }

    @Test("a slow reading is taken all the same when the clock was set", arguments: [3600, -3600])
    func wasSet(seconds: Int) async throws {
        let start = ContinuousClock.now
        let state = Lock((at: Duration.zero, took: Duration.milliseconds(20), ahead: Duration.zero))
        let epoch = Timestamp(seconds: 2_000_000)
        let clock = PostgresClock(
            log: .silent, interval: .seconds(1), system: { [wrong] in wrong },
            instant: { state.withLock { start + $0.at } }
        ) { _ throws(PostgresError) in
            state.withLock { state in
                let time = epoch + state.at + state.ahead
                state.at += state.took
                return time
            }
        }
        try await clock.read(deadline: .generous)
        state.withLock { ($0.took, $0.ahead) = (.milliseconds(500), .seconds(seconds)) }
        try await clock.read(deadline: .generous)
        let off = clock.now() - (epoch + state.withLock { $0.at + $0.ahead })
        #expect(off == .milliseconds(-250))
    }
}
