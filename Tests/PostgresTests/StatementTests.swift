import Runtime
import TestKit
import Testing

@testable import Postgres

@Suite struct StatementTests {
    private func prepared(_ pool: PostgresPool) async throws -> Int? {
        try await pool.query(
            "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT $1::text%'",
            deadline: .generous
        ).first?.int(0)
    }

    @Test("a statement is prepared once per connection, with or without a value")
    func preparedOnce() async throws {
        try await withTestDatabase { database in
            let pool = try database.pool(size: 1)
            for value in ["a", nil, "b"] {
                let rows = try await pool.query(
                    "SELECT $1::text || 'x'", .optionalText(value), deadline: .generous)
                #expect(try rows.first?.optionalText(0) == value.map { $0 + "x" })
            }
            #expect(try await prepared(pool) == 1)
        }
    }

    @Test("behind a transaction pooler nothing is prepared")
    func unprepared() async throws {
        try await withTestDatabase { database in
            var configuration = try database.configuration()
            configuration.pooler = .transaction
            let pool = PostgresPool(configuration, size: 1, log: .silent)
            let rows = try await pool.query("SELECT $1::text", .text("a"), deadline: .generous)
            #expect(try rows.first?.text(0) == "a")
            #expect(try await prepared(pool) == 0)
        }
    }

    @Test(
        "a statement runs as the role it names, whatever the sessions' own, and leaves that be",
        arguments: [
            (PostgresConfiguration.Pooler.none, nil as TestDatabase.Role?), (.none, .application),
            (.none, .owner), (.transaction, nil), (.transaction, .application),
        ])
    func role(pooler: PostgresConfiguration.Pooler, session: TestDatabase.Role?) async throws {
        try await withTestDatabase { database in
            var configuration = try database.configuration(.superuser)
            configuration.pooler = pooler
            if let session { configuration = configuration.with(role: session.name) }
            let pool = PostgresPool(
                configuration.with(setting: "enable_seqscan", "off"), size: 1, log: .silent)
            let asked = PostgresQuery(
                "SELECT current_user::text, current_setting('enable_seqscan')")
            let own = try await pool.query(asked, deadline: .generous)
            let role = TestDatabase.Role.application.name
            let taken = try await pool.query(asked, as: role, deadline: .generous)
            #expect(try taken[0].text(0) == role && taken[0].text(1) == "off")
            let within = try await pool.transaction(as: role, deadline: .generous) {
                try $0.query(asked)
            }
            #expect(try within[0].text(0) == role && within[0].text(1) == "off")
            let after = try await pool.query(asked, deadline: .generous)
            for rows in [own, after] {
                let isSession = pooler == .none
                let name = isSession ? session ?? .superuser : .superuser
                #expect(try rows[0].text(0) == name.name)
                #expect(try rows[0].text(1) == (isSession ? "off" : "on"))
            }
        }
    }

    @Test("a statement whose result changed with the schema is prepared anew, unnoticed")
    func staleStatement() async throws {
        try await withTestDatabase { database in
            try await database.run("CREATE TABLE public.t (a int); GRANT ALL ON t TO PUBLIC")
            let pool = try database.pool(size: 1)
            func columns() async throws -> Int {
                try await pool.query("SELECT * FROM t", deadline: .generous).columns.count
            }
            #expect(try await columns() == 1)
            try await database.run("ALTER TABLE public.t ADD b text")
            #expect(try await columns() == 2)
        }
    }

    @Test("one whose preparing failed is prepared when it can be")
    func failedPrepare() async throws {
        try await withTestDatabase { database in
            let pool = try database.pool(size: 1)
            func ask() async throws -> Int {
                try await pool.query("SELECT a FROM later", deadline: .generous).count
            }
            let error = await #expect(throws: PostgresError.self) { try await ask() }
            #expect(error?.sqlState == "42P01")
            try await database.run(
                "CREATE TABLE public.later (a int); GRANT ALL ON later TO PUBLIC")
            #expect(try await ask() == 0)
        }
    }

    @Test("types that differ get a statement of their own; an untyped NULL fits any")
    func variants() {
        var cache = StatementCache()
        let sql: StaticSQL = "SELECT $1"
        #expect(cache.find(sql, [25]).isNew)
        #expect(!cache.find(sql, [25]).isNew)
        #expect(!cache.find(sql, [0]).isNew)
        let other = cache.find(sql, [20])
        #expect(other.isNew)
        #expect(cache.count == 2)
        cache.forget(other.key)
        #expect(cache.find(sql, [20]).isNew)
    }
}
