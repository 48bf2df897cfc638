import Postgres
import Runtime
import TestKit
import Testing

extension Deadline {
    /// Longer than anything that works takes.
    static var generous: Deadline { .after(.seconds(30)) }
}

/// Asks again until the condition holds; false when it does not before the deadline.
func eventually(
    within limit: Duration = .seconds(15), _ condition: () async throws -> Bool
) async throws -> Bool {
    let deadline = Deadline.after(limit)
    while !deadline.hasPassed {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(5))
    }
    return try await condition()
}

/// What happened, in order, from any thread.
final class Record<Item: Sendable>: Sendable {
    private let items = Lock<[Item]>([])

    func add(_ item: Item) { items.withLock { $0.append(item) } }
    var all: [Item] { items.withLock { $0 } }
}

extension TestDatabase {
    /// A statement that runs until it is ended from outside, or until `release` of the one that
    /// holds what it waits for.
    static let waiting: StaticSQL = "SELECT pg_advisory_lock(1)"

    /// Holds what `waiting` waits for, on a connection of its own.
    func holder() async throws -> PostgresPool {
        let holder = try pool(.superuser, size: 1)
        _ = try await holder.query(Self.waiting, deadline: .generous)
        return holder
    }

    /// How many sessions are at `waiting`, and wait.
    static func waiters(_ holder: PostgresPool) async throws -> Int? {
        try await holder.query(
            """
            SELECT count(*) FROM pg_locks
            WHERE locktype = 'advisory' AND NOT granted
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """, deadline: .generous
        ).first?.int(0)
    }

    /// Lets `waiting` go on.
    static func release(_ holder: PostgresPool) async throws {
        _ = try await holder.query("SELECT pg_advisory_unlock(1)", deadline: .generous)
    }

    /// Ends every other connection to this database, as an administrator would.
    func terminateBackends(_ administrator: PostgresPool) async throws -> Int {
        try await administrator.query(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """, deadline: .generous
        ).count
    }
}
