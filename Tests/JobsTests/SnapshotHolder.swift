import Postgres
import Runtime
import TestKit

/// A transaction that stays open, as one that somebody forgot.
final class SnapshotHolder: Sendable {
    private let pool: PostgresPool
    private let gate = ThreadGate()
    private let opened = AsyncStream<Void>.makeStream()
    private let ended = Lock<Task<Void, any Error>?>(nil)

    init(_ configuration: PostgresConfiguration) {
        gate.close()
        pool = PostgresPool(configuration, name: "holder", size: 1, log: .silent)
    }

    /// Returns once the snapshot is taken.
    func open() async throws {
        let task = Task { [self] in
            try await pool.transaction(deadline: .after(.seconds(600))) { [self] transaction in
                _ = try transaction.query("set transaction isolation level repeatable read")
                // However long the test takes, the server must not end what it holds open.
                _ = try transaction.query("set local idle_in_transaction_session_timeout = 0")
                _ = try transaction.query("select count(*) from sineta.lanes")
                opened.continuation.yield()
                // On the connection's own thread, which may wait.
                gate.pass()
            }
        }
        ended.withLock { $0 = task }
        for await _ in opened.stream { break }
    }

    func release() async {
        gate.open()
        _ = await ended.withLock { $0 }?.result
        await pool.close()
    }
}
