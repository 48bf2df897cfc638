import Runtime
import TestKit
import Testing

@testable import Postgres

@Suite struct FaultTests {
    private static let schema = [
        Migration(1, "notes", sql: "CREATE TABLE notes (id bigint PRIMARY KEY, body text);")
    ]

    private func withProxy(
        _ body: (TestDatabase, FaultProxy, PostgresPool) async throws -> Void
    ) async throws {
        try await withTestDatabase(Self.schema) { database in
            let proxy = try database.faultProxy()
            var configuration = try database.configuration(.owner, through: proxy)
            configuration.connectTimeout = .milliseconds(500)
            let pool = PostgresPool(configuration, size: 2, log: .silent)
            try await body(database, proxy, pool)
            proxy.stop()
        }
    }

    private func count(_ database: TestDatabase) async throws -> Int? {
        let pool = try database.pool(.owner, size: 1)
        return try await pool.query("SELECT count(*) FROM notes", deadline: .generous).first?.int(0)
    }

    @Test("a COMMIT whose answer never comes is unknown, here done by the server all the same")
    func commitUnknown() async throws {
        try await withProxy { database, proxy, pool in
            _ = try await pool.query("SELECT 1", deadline: .generous)
            let begin = ContinuousClock.now
            await #expect(throws: PostgresError.commitUnknown) {
                try await pool.transaction(deadline: .after(.seconds(4))) { tx in
                    _ = try tx.query("INSERT INTO notes VALUES (1, 'a')")
                    proxy.fault = .swallow(.toClient)
                }
            }
            #expect(ContinuousClock.now - begin < .seconds(20))
            #expect(try await eventually { try await count(database) == 1 })
            proxy.fault = .none
            _ = try await pool.query("SELECT 1", deadline: .generous)
        }
    }

    @Test("a COMMIT cut off by a reset is unknown")
    func commitReset() async throws {
        try await withProxy { _, proxy, pool in
            await #expect(throws: PostgresError.commitUnknown) {
                try await pool.transaction(deadline: .generous) { tx in
                    _ = try tx.query("INSERT INTO notes VALUES (1, 'a')")
                    proxy.fault = .reset(after: 3, .toClient)
                }
            }
        }
    }

    @Test("a connection lost before COMMIT is no unknown: nothing stands")
    func lostBeforeCommit() async throws {
        try await withProxy { database, proxy, pool in
            let error = await #expect(throws: PostgresError.self) {
                try await pool.transaction(deadline: .generous) { tx in
                    _ = try tx.query("INSERT INTO notes VALUES (1, 'a')")
                    proxy.resetAll()
                    _ = try tx.query("INSERT INTO notes VALUES (2, 'a')")
                }
            }
            guard case .connectionLost = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try await count(database) == 0)
            _ = try await pool.query("SELECT 1", deadline: .generous)
        }
    }

    @Test(
        "a server that goes silent costs a call its deadline and no more",
        arguments: [
            FaultProxy.Fault.blackHole, .halfOpen, .swallow(.toClient), .swallow(.toServer),
        ])
    func silence(_ fault: FaultProxy.Fault) async throws {
        try await withProxy { _, proxy, pool in
            _ = try await pool.query("SELECT 1", deadline: .generous)
            proxy.fault = fault
            let begin = ContinuousClock.now
            await #expect(throws: PostgresError.timeout) {
                try await pool.query("SELECT 1", deadline: .after(.seconds(3)))
            }
            #expect(ContinuousClock.now - begin < .seconds(20))
            proxy.fault = .none
            _ = try await pool.query("SELECT 1", deadline: .generous)
        }
    }

    @Test("a server that never lets anybody in costs a call its deadline and no more")
    func silentConnect() async throws {
        try await withProxy { _, proxy, pool in
            proxy.fault = .blackHole
            let error = await #expect(throws: PostgresError.self) {
                try await pool.query("SELECT 1", deadline: .after(.seconds(3)))
            }
            guard case .unreachable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            proxy.fault = .none
            _ = try await pool.query("SELECT 1", deadline: .generous)
        }
    }

    @Test("a host that is silent or refuses is passed over for the next")
    func nextHost() async throws {
        try await withTestDatabase { database in
            let silent = try database.faultProxy()
            silent.fault = .blackHole
            let good = try database.faultProxy()
            var configuration = try PostgresConfiguration(
                url: "postgresql://sineta_app@127.0.0.1:1,127.0.0.1:\(silent.port),"
                    + "127.0.0.1:\(good.port)/\(database.name)?sslmode=disable")
            configuration.connectTimeout = .seconds(1)
            let pool = PostgresPool(configuration, size: 1, log: .silent)
            let rows = try await pool.query("SELECT 1", deadline: .generous)
            #expect(try rows[0].int(0) == 1)
            #expect(try await eventually { silent.accepted > 0 })
            #expect(good.accepted > 0)
        }
    }

    @Test("a statement that runs over is asked to stop at the server too")
    func cancels() async throws {
        try await withTestDatabase { database in
            let holder = try await database.holder()
            let pool = try database.pool(size: 1)
            _ = try await pool.query("SELECT 1", deadline: .generous)
            await #expect(throws: PostgresError.timeout) {
                try await pool.query(TestDatabase.waiting, deadline: .after(.seconds(3)))
            }
            #expect(try await eventually { try await TestDatabase.waiters(holder) == 0 })
        }
    }

    @Test("a result that comes byte by byte, and a large one both ways, come whole")
    func slowPieces() async throws {
        try await withProxy { _, proxy, pool in
            proxy.fault = .oneByteWrites
            let few = try await pool.query("SELECT repeat('x', 500)", deadline: .generous)
            #expect(try few[0].text(0).utf8.count == 500)
            proxy.fault = .none
            let much = [UInt8](repeating: 7, count: 8 << 20)
            let rows = try await pool.query("SELECT $1", .bytes(much), deadline: .generous)
            #expect(try rows[0].bytes(0) == much)
        }
    }

    @Test(
        "a reset at any byte is an error or an answer, never a hang",
        arguments: [1, 5, 17, 60, 200])
    func resets(_ bytes: Int) async throws {
        try await withProxy { _, proxy, pool in
            _ = try await pool.query("SELECT 1", deadline: .generous)
            proxy.fault = .reset(after: bytes, .toClient)
            do throws(PostgresError) {
                _ = try await pool.query(
                    "SELECT repeat('x', 100) FROM generate_series(1, 3)", deadline: .generous)
            } catch {
                #expect(error.isUnavailable)
                #expect(error != .timeout)
            }
            proxy.fault = .none
            _ = try await pool.query("SELECT 1", deadline: .generous)
        }
    }
}
