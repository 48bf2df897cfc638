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
        try await withTestDatabase { database in
            let pool = try database.pool(size: 1)
            await pool.close()
            let clock = PostgresClock(pool, log: .silent, system: { [wrong] in wrong })
            await #expect(throws: PostgresError.self) { try await clock.read(deadline: .generous) }
            #expect(clock.now() == wrong)
        }
    }
}
