import Values

/// One step of the schema, forward only.
public struct Migration: Sendable, Hashable {
    /// From 1 and ascending, with gaps. A new one comes behind all that were ever applied anywhere.
    public let number: Int
    /// A few words, for people.
    public let name: String
    /// One or many statements. They run in one transaction, so none may forbid that
    /// (`CREATE INDEX CONCURRENTLY`, `VACUUM`) or end it (`COMMIT`).
    public let sql: String

    /// Checks nothing: a list that does not ascend is refused when it is compared with the
    /// database.
    public init(_ number: Int, _ name: String, sql: String) {
        self.number = number
        self.name = name
        self.sql = sql
    }

    /// Of the SQL; the name may be bettered later.
    var checksum: Int64 { Int64(bitPattern: Checksum(endMarked: sql).value) }
}

/// A migration that the database has, as its table says.
struct AppliedMigration: Sendable, Equatable {
    let number: Int
    let name: String
    let checksum: Int64
}

/// Why the schema cannot be brought where this binary wants it.
public enum MigrationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The list in this binary does not ascend.
    case misnumbered(Int)
    /// The database has a migration that this binary does not know: the binary is older.
    case newerSchema(Int)
    /// A migration that was applied has other SQL here.
    case changed(number: Int, name: String)
    /// The database lacks a migration before one that it has.
    case gap(Int)
    /// A migration's SQL ended the transaction it ran in.
    case leftTransaction(number: Int, name: String)
    /// A migration's SQL was refused; nothing of it remains.
    case failed(number: Int, name: String, PostgresError)
    /// The database could not be reached or asked.
    case database(PostgresError)

    public var description: String {
        switch self {
        case .misnumbered(let number):
            "migration \(number) does not have a higher number than the one before it"
        case .newerSchema(let number):
            "the database has migration \(number), which this version does not know: "
                + "use the version that made it, or a later one"
        case .changed(let number, let name):
            "migration \(number) (\(name)) was applied with other SQL than this version has: "
                + "run the version that applied it, or take a new database"
        case .gap(let number): "the database lacks migration \(number), but has later ones"
        case .leftTransaction(let number, let name):
            "migration \(number) (\(name)) must not end its transaction"
        case .failed(let number, let name, let error):
            "migration \(number) (\(name)) failed: \(error)"
        case .database(let error): "\(error)"
        }
    }
}

/// What the database has against what this binary wants.
public struct MigrationState: Sendable, Equatable {
    /// The number of the last migration that was applied; 0 for none.
    public let current: Int
    /// What is to be applied, in order.
    public let pending: [Migration]

    /// Nothing is to be applied.
    public var isCurrent: Bool { pending.isEmpty }

    /// Compares the two lists, and refuses what no forward step can mend.
    init(_ wanted: [Migration], applied: [AppliedMigration]) throws(MigrationError) {
        for (earlier, migration) in zip([0] + wanted.map(\.number), wanted)
        where migration.number <= earlier {
            throw .misnumbered(migration.number)
        }
        for (index, known) in applied.enumerated() {
            guard index < wanted.count else { throw .newerSchema(known.number) }
            let migration = wanted[index]
            guard known.number <= migration.number else { throw .gap(migration.number) }
            guard known.number == migration.number else { throw .newerSchema(known.number) }
            guard known.checksum == migration.checksum else {
                throw .changed(number: known.number, name: known.name)
            }
        }
        current = applied.last?.number ?? 0
        pending = Array(wanted[applied.count...])
    }
}
