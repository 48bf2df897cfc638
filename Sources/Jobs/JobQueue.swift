public import Postgres
import Runtime

/// The jobs table, statement by statement. It knows no kinds.
///
/// A job is `ready` (or `due`, with a time), then `leased`, then gone: finished, or buried among
/// the dead. Each arrow is one statement. Every write-back names the lease; what comes back as not
/// in the answer was taken over by another worker, and its result must be dropped.
///
/// All calls but `enqueue` run as role `sineta_worker`: the pool's sessions are in it
/// (`login`), or, behind a transaction pooler, each call takes it.
public struct JobQueue: Sendable {
    public static let role = "sineta_worker"

    /// A login whose sessions are in the queue's role and read its tables by their indexes. What
    /// else goes through the same pool (facts, deliveries, retention, samples) is planned so too,
    /// which is meant: it too wants some rows by their ids. Scans that have no index are still
    /// made.
    ///
    /// Statements are planned once, and a queue that is planned when it is empty (after a
    /// migration, or when vacuum has emptied the table of a quiet night) gets a scan of a table
    /// without pages: free then, and a second a claim when a store has queued 100,000 pushes, until
    /// the next autoanalyze. Merge and hash joins read whole indexes in its place, where every
    /// statement here wants some rows by their ids: 300 ms a write-back, and 7 without them. The
    /// cost that is put on all of these would call for compiled plans.
    public static func login(_ login: PostgresConfiguration) -> PostgresConfiguration {
        ["enable_seqscan", "enable_mergejoin", "enable_hashjoin", "jit"]
            .reduce(login.with(role: role)) { $0.with(setting: $1, "off") }
    }

    private let pool: PostgresPool

    public init(pool: PostgresPool) {
        self.pool = pool
    }

    func run(
        _ sql: StaticSQL, _ values: PostgresValue..., deadline: Deadline
    ) async throws(PostgresError) -> PostgresRows {
        try await pool.query(PostgresQuery(sql, values), as: Self.role, deadline: deadline)
    }

    /// Runs `body` in one transaction in the worker's role, which is taken behind the preamble.
    func transaction<Result: Sendable>(
        _ preamble: [PostgresQuery] = [], deadline: Deadline,
        _ body: @escaping @Sendable (PostgresTransaction) throws -> Result
    ) async throws(PostgresError) -> Result {
        try await pool.transaction(as: Self.role, preamble: preamble, deadline: deadline, body)
    }
}
