import Postgres
import Runtime
import TestKit
import Testing

@Suite struct TransactionTests {
    private struct Refusal: Error {}

    private static let schema = [
        Migration(1, "notes", sql: "CREATE TABLE notes (id bigint PRIMARY KEY, body text);")
    ]

    private func withPool(
        size: Int = 2, _ body: (PostgresPool) async throws -> Void
    ) async throws {
        try await withTestDatabase(Self.schema) { database in
            try await body(try database.pool(.owner, size: size))
        }
    }

    private func count(_ pool: PostgresPool) async throws -> Int? {
        try await pool.query("SELECT count(*) FROM notes", deadline: .generous).first?.int(0)
    }

    @Test("what the body did stands after COMMIT, and the preamble's rows were there for it")
    func commits() async throws {
        try await withPool { pool in
            let preamble = PostgresQuery("SELECT set_config('app.store', $1, true)", .text("s1"))
            let seen = try await pool.transaction(deadline: .generous, preamble: [preamble]) { tx in
                let inserted = try tx.query("INSERT INTO notes VALUES (1, 'a'), (2, 'b')")
                #expect(inserted.affected == 2)
                let setting = try tx.query("SELECT current_setting('app.store')")
                return [try tx.preamble[0][0].text(0), try setting[0].text(0)]
            }
            #expect(seen == ["s1", "s1"])
            #expect(try await count(pool) == 2)
        }
    }

    @Test("what the body throws is thrown again, and nothing of it remains")
    func rollsBack() async throws {
        try await withPool(size: 1) { (pool: PostgresPool) async throws in
            await #expect(throws: Refusal.self) {
                try await pool.transaction(deadline: .generous) { tx in
                    _ = try tx.query("INSERT INTO notes VALUES (1, 'a')")
                    throw Refusal()
                }
            }
            #expect(try await count(pool) == 0)
        }
    }

    @Test("of one that the body undoes nothing remains, what goes out with COMMIT neither")
    func undone() async throws {
        try await withPool(size: 1) { pool in
            let seen = try await pool.transaction(deadline: .generous) { tx in
                _ = try tx.query("INSERT INTO notes VALUES (1, 'a')")
                tx.undo()
                try tx.atCommit([PostgresQuery("INSERT INTO notes VALUES (2, 'b')")])
                _ = try tx.query("INSERT INTO notes VALUES (3, 'c')")
                return try tx.query("SELECT count(*) FROM notes")[0].int(0)
            }
            #expect(seen == 2)
            #expect(try await count(pool) == 0)
        }
    }

    @Test("COMMIT that the server answers with ROLLBACK is an error")
    func abortedCommit() async throws {
        try await withPool(size: 1) { (pool: PostgresPool) async throws in
            await #expect(throws: PostgresError.rolledBack) {
                try await pool.transaction(deadline: .generous) { tx in
                    _ = try tx.query("INSERT INTO notes VALUES (1, 'a')")
                    // The body swallows a failure and goes on as if nothing had been.
                    _ = try? tx.query("SELECT 1 / 0")
                }
            }
            #expect(try await count(pool) == 0)
        }
    }

    @Test("a constraint that is checked at COMMIT is reported as the server says it")
    func deferredConstraint() async throws {
        try await withPool { pool in
            let error = await #expect(throws: PostgresError.self) {
                try await pool.transaction(deadline: .generous) { tx in
                    _ = try tx.query(
                        """
                        CREATE TABLE pairs (id int PRIMARY KEY,
                            peer int CONSTRAINT pairs_peer REFERENCES pairs DEFERRABLE INITIALLY DEFERRED)
                        """)
                    _ = try tx.query("INSERT INTO pairs VALUES (1, 2)")
                }
            }
            #expect(error?.sqlState == "23503")
            #expect(error?.constraint == "pairs_peer")
        }
    }

    @Test("a preamble that fails keeps the body from running and the connection usable")
    func failingPreamble() async throws {
        try await withPool(size: 1) { (pool: PostgresPool) async throws in
            let ran = Record<Int>()
            let error = await #expect(throws: PostgresError.self) {
                try await pool.transaction(
                    deadline: .generous, preamble: [PostgresQuery("SELECT 1 / 0")]
                ) { _ in ran.add(1) }
            }
            #expect(error?.sqlState == "22012")
            #expect(ran.all.isEmpty)
            #expect(try await count(pool) == 0)
        }
    }

    @Test("an error in the middle of a pipeline is the one thrown, and nothing behind it runs")
    func pipelineWithError() async throws {
        try await withPool(size: 1) { (pool: PostgresPool) async throws in
            let error = await #expect(throws: PostgresError.self) {
                try await pool.transaction(deadline: .generous) { tx in
                    try tx.pipeline([
                        PostgresQuery("INSERT INTO notes VALUES ($1, $2)", .int64(1), .text("a")),
                        PostgresQuery("INSERT INTO notes VALUES ($1, $2)", .int64(1), .text("b")),
                        PostgresQuery("INSERT INTO notes VALUES ($1, $2)", .int64(2), .text("c")),
                    ]).count
                }
            }
            #expect(error?.isUniqueViolation == true)
            #expect(error?.constraint == "notes_pkey")
            #expect(
                error?.description == "SQLSTATE 23505, table notes, constraint notes_pkey")
            #expect(try await count(pool) == 0)
            let rows = try await pool.transaction(deadline: .generous) { tx in
                try tx.pipeline([
                    PostgresQuery("INSERT INTO notes VALUES ($1, $2)", .int64(5), .text("a")),
                    PostgresQuery("SELECT body FROM notes WHERE id = $1", .int64(5)),
                ])
            }
            #expect(try rows[1][0].text(0) == "a")
        }
    }

    @Test("what is read in one round trip is one transaction, whose settings hold and end with it")
    func reading() async throws {
        try await withPool(size: 1) { (pool: PostgresPool) async throws in
            let setting = PostgresQuery("SELECT current_setting('app.store', true)")
            let rows = try await pool.reading(
                [
                    PostgresQuery("SELECT set_config('app.store', $1, true)", .text("s1")),
                    PostgresQuery("SELECT pg_current_xact_id()::text"), setting,
                    PostgresQuery("SELECT pg_current_xact_id()::text"),
                ], deadline: .generous)
            #expect(try rows[2][0].text(0) == "s1")
            #expect(try rows[1][0].text(0) == rows[3][0].text(0))
            let after = try await pool.query(setting, deadline: .generous)
            #expect(try after[0].optionalText(0) ?? "" == "")
            let error = await #expect(throws: PostgresError.self) {
                try await pool.reading(
                    [
                        PostgresQuery("INSERT INTO notes VALUES (1, 'a')"),
                        PostgresQuery("SELECT 1 / 0"),
                    ], deadline: .generous)
            }
            #expect(error?.sqlState == "22012")
            #expect(try await count(pool) == 0)
        }
    }

    @Test("what goes out with COMMIT is done in order, and is not there before")
    func atCommit() async throws {
        try await withPool(size: 1) { (pool: PostgresPool) async throws in
            let seen = try await pool.transaction(deadline: .generous) { tx in
                try tx.atCommit([
                    PostgresQuery("INSERT INTO notes VALUES (1, 'a')"),
                    PostgresQuery("UPDATE notes SET body = body || 'b'"),
                ])
                #expect(throws: PostgresError.self) {
                    try tx.savepoint { inner in
                        try inner.atCommit([PostgresQuery("DELETE FROM notes")])
                        _ = try inner.query("SELECT 1 / 0")
                    }
                }
                return try tx.query("SELECT count(*) FROM notes")[0].int(0)
            }
            #expect(seen == 0)
            let rows = try await pool.query("SELECT body FROM notes", deadline: .generous)
            #expect(try rows.map { try $0.text(0) } == ["ab"])
        }
    }

    @Test("what fails at COMMIT undoes the body, is thrown, and leaves the connection usable")
    func failsAtCommit() async throws {
        try await withPool(size: 1) { (pool: PostgresPool) async throws in
            let error = await #expect(throws: PostgresError.self) {
                try await pool.transaction(deadline: .generous) { tx in
                    _ = try tx.query("INSERT INTO notes VALUES (1, 'a')")
                    try tx.atCommit([
                        PostgresQuery("INSERT INTO notes VALUES (2, 'b')"),
                        PostgresQuery("INSERT INTO notes VALUES (1, 'c')"),
                    ])
                }
            }
            #expect(error?.isUniqueViolation == true)
            #expect(try await count(pool) == 0)
        }
    }

    @Test("a savepoint undoes its own part alone")
    func savepoint() async throws {
        try await withPool { pool in
            try await pool.transaction(deadline: .generous) { tx in
                _ = try tx.query("INSERT INTO notes VALUES (1, 'a')")
                #expect(throws: PostgresError.self) {
                    try tx.savepoint { inner in _ = try inner.query("SELECT 1 / 0") }
                }
                try tx.savepoint { inner in _ = try inner.query("INSERT INTO notes VALUES (2, 'b')")
                }
            }
            #expect(try await count(pool) == 2)
        }
    }

    @Test("rows copied in binary arrive, and a refused row leaves nothing")
    func copies() async throws {
        try await withPool(size: 1) { (pool: PostgresPool) async throws in
            let taken = try await pool.transaction(deadline: .generous) { tx in
                try tx.copyIn(
                    "COPY notes (id, body) FROM STDIN (FORMAT binary)",
                    (1...20_000).map { [.int64($0), $0 % 2 == 0 ? .null : .text("row \($0)")] })
            }
            #expect(taken == 20_000)
            #expect(try await count(pool) == 20_000)
            let error = await #expect(throws: PostgresError.self) {
                try await pool.transaction(deadline: .generous) { tx in
                    try tx.copyIn(
                        "COPY notes (id, body) FROM STDIN (FORMAT binary)",
                        [[.int64(-1), .null], [.int64(1), .text("again")]])
                }
            }
            #expect(error?.isUniqueViolation == true)
            #expect(try await count(pool) == 20_000)
        }
    }

    @Test("a transaction that is over takes no more statements")
    func over() async throws {
        try await withPool { pool in
            nonisolated(unsafe) var escaped: PostgresTransaction?
            try await pool.transaction(deadline: .generous) { escaped = $0 }
            #expect(throws: PostgresError.closed) { try escaped?.query("SELECT 1") }
        }
    }
}
