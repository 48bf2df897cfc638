import Postgres
import Storage
import TestKit

extension World {
    /// Begins `second` while `first` is not committed, and commits once the one waits for the
    /// other.
    ///
    /// - Parameter whileWaitedFor: what the first does then, before it commits.
    func during<Result: Sendable>(
        _ role: DatabaseRole, first: @escaping @Sendable (PostgresTransaction) throws -> Void,
        whileWaitedFor: @escaping @Sendable (PostgresTransaction) throws -> Void = { _ in },
        then second: () async throws -> Result
    ) async throws -> Result {
        let (isDone, done) = AsyncStream<Void>.makeStream()
        async let holding: Void = run(as: role) { transaction in
            defer { done.finish() }
            try first(transaction)
            done.yield()
            while try !isWaitedFor(transaction) {}
            try whileWaitedFor(transaction)
        }
        for await _ in isDone { break }
        let result = try await second()
        try await holding
        return result
    }
}

/// Whether another session waits for a lock of this one. PostgreSQL signals that to nobody, so it
/// is asked for again, on the connection's own thread, until the transaction's deadline.
private func isWaitedFor(_ transaction: PostgresTransaction) throws -> Bool {
    try transaction.query(
        """
        select exists (select from pg_locks
          where not granted and pg_backend_pid() = any (pg_blocking_pids(pid)))
        """)[0].bool(0)
}
