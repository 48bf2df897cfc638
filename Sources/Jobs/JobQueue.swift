public import Postgres
import Runtime

/// The jobs table, statement by statement. It knows no kinds.
///
/// A job is `ready` (or `due`, with a time), then `leased`, then gone: finished, or buried among the
/// dead. Each arrow is one statement. Every write-back names the lease; what comes back as not in
/// the answer was taken over by another worker, and its result must be dropped.
///
/// All calls but `enqueue` run as role `sineta_worker`: the pool's sessions are in it
/// (`PostgresConfiguration.with(role:)`), or, behind a transaction pooler, each call takes it.
public struct JobQueue: Sendable {
    public static let role = "sineta_worker"

    private let pool: PostgresPool

    public init(pool: PostgresPool) {
        self.pool = pool
    }

    func run(
        _ sql: StaticSQL, _ values: PostgresValue..., deadline: Deadline
    ) async throws(PostgresError) -> PostgresRows {
        let query = PostgresQuery(sql, values)
        if pool.configuration.pooler == .none {
            return try await pool.query(query, deadline: deadline)
        }
        do {
            let role = PostgresQuery("select set_config('role', 'sineta_worker', true)")
            return try await pool.transaction(deadline: deadline, preamble: [role]) {
                try $0.query(query)
            }
        } catch let error as PostgresError {
            throw error
        } catch {
            // The body throws nothing else.
            throw .decoding("\(error)")
        }
    }
}
