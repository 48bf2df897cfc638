import Postgres
import Runtime
import TestKit
import Testing

@Suite struct Smoke {
    @Test("a statement answers") func answers() async throws {
        let clock = ContinuousClock()
        try await withTestDatabase { database in
            let pool = try database.pool()
            let rows = try await pool.query(
                "SELECT $1::bigint + 1", .int64(41), deadline: .after(.seconds(5)))
            #expect(try rows.first?.int(0) == 42)
        }
        for _ in 0..<5 {
            let t = try await clock.measure { try await withTestDatabase { _ in } }
            print("clone", t)
        }
    }
}
