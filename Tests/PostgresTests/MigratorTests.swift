import Runtime
import TestKit
import Testing

@testable import Postgres

@Suite struct MigratorTests {
    private static let first = Migration(
        1, "notes", sql: "CREATE TABLE notes (id int); INSERT INTO notes VALUES (1);")
    private static let second = Migration(2, "bodies", sql: "ALTER TABLE notes ADD body text")

    private func migrator(
        _ migrations: [Migration], _ database: TestDatabase
    ) throws -> Migrator {
        Migrator(migrations, configuration: try database.configuration(.owner), log: .silent)
    }

    @Test("pending migrations are applied in order, once")
    func inOrder() async throws {
        try await withTestDatabase { database in
            let both = try migrator([Self.first, Self.second], database)
            #expect(try await both.state(deadline: .generous).current == 0)
            let one = try migrator([Self.first], database)
            #expect(try await one.migrate(deadline: .generous).map(\.number) == [1])
            #expect(try await both.state(deadline: .generous).pending == [Self.second])
            #expect(try await both.migrate(deadline: .generous).map(\.number) == [2])
            #expect(try await both.migrate(deadline: .generous).isEmpty)
            #expect(try await both.state(deadline: .generous).isCurrent)
            // Whoever logs in may see how far the schema is.
            let reader = Migrator(
                [Self.first, Self.second], configuration: try database.configuration(.application),
                log: .silent)
            #expect(try await reader.state(deadline: .generous).current == 2)
        }
    }

    @Test("many migrators at once apply each migration once")
    func atOnce() async throws {
        try await withTestDatabase { database in
            let migrations = (1...6).map { number in
                Migration(number, "t\(number)", sql: "CREATE TABLE t\(number) (id int)")
            }
            let applied = try await withThrowingTaskGroup(of: [Migration].self) { group in
                for _ in 0..<4 {
                    let migrator = try migrator(migrations, database)
                    group.addTask { try await migrator.migrate(deadline: .generous) }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(applied.map(\.number).sorted() == Array(1...6))
        }
    }

    @Test("one that fails leaves nothing of itself, and those before it stand")
    func failure() async throws {
        try await withTestDatabase { database in
            let broken = Migration(2, "broken", sql: "CREATE TABLE half (id int); SELECT 1 / 0;")
            let error = await #expect(throws: MigrationError.self) {
                try await migrator([Self.first, broken], database).migrate(deadline: .generous)
            }
            guard case .failed(2, "broken", let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.sqlState == "22012")
            let pool = try database.pool(.owner, size: 1)
            let half = try await pool.query("SELECT to_regclass('half')::text", deadline: .generous)
            #expect(try half[0].optionalText(0) == nil)
            #expect(try await migrator([Self.first], database).state(deadline: .generous).isCurrent)
        }
    }

    @Test("one that ends its transaction is refused")
    func leaves() async throws {
        try await withTestDatabase { database in
            await #expect(throws: MigrationError.leftTransaction(number: 1, name: "leaver")) {
                try await migrator([Migration(1, "leaver", sql: "SELECT 1; COMMIT;")], database)
                    .migrate(deadline: .generous)
            }
        }
    }

    @Test("a schema that this version does not know, or knows otherwise, is refused")
    func refuses() throws {
        let applied = [
            AppliedMigration(number: 1, name: "notes", checksum: Self.first.checksum),
            AppliedMigration(number: 2, name: "bodies", checksum: Self.second.checksum),
        ]
        #expect(throws: MigrationError.newerSchema(2)) {
            try MigrationState([Self.first], applied: applied)
        }
        #expect(throws: MigrationError.changed(number: 2, name: "bodies")) {
            try MigrationState(
                [Self.first, Migration(2, "bodies", sql: "other")], applied: applied)
        }
        #expect(throws: MigrationError.gap(1)) {
            try MigrationState([Self.first, Self.second], applied: [applied[1]])
        }
        #expect(throws: MigrationError.misnumbered(2)) {
            try MigrationState([Self.second, Self.second], applied: [])
        }
    }
}
