public import Postgres
public import Runtime
import Values

/// What is measured of the queue at one moment.
public struct QueueMeasure: Sendable {
    public let lanes: [LaneCount]
    public let states: [LaneState]
    /// Dead letters by kind and reason.
    public let dead: [(kind: String, reason: String, count: Int)]
    public let health: QueueHealth
}

/// What holds vacuum up, and what that has come to.
public struct QueueHealth: Sendable, Equatable {
    /// The age of the oldest snapshot, in transactions: of all sessions of the login role, and of
    /// others only if it may see them (`pg_monitor`).
    public let oldestTransactions: Int64
    /// How long the transaction that has it has been open.
    public let oldestSeconds: Double
    /// Dead rows of the jobs table, as statistics know them.
    public let deadRows: Int64
    public let rows: Int64
}

extension JobQueue {
    /// Measures the queue, each figure of the lanes counted up to `limit`.
    ///
    /// Counting reads the head of the queue, where dead rows lie while vacuum is held up: ask
    /// rarely. The server itself ends a statement that takes longer than `time`.
    public func measure(
        upTo limit: Int = 10_000, within time: Duration, deadline: Deadline
    ) async throws(PostgresError) -> QueueMeasure {
        let preamble: [PostgresQuery] = [
            PostgresQuery(
                "select set_config('statement_timeout', $1, true)",
                .text("\(Int(time.secondsAsDouble * 1000))")),
            // The worker's role sees no other session; the login role sees those of its own.
            PostgresQuery("select set_config('role', 'none', true)"), Self.healthQuery,
        ]
        return try await transaction(preamble, deadline: deadline) { transaction in
            QueueMeasure(
                lanes: try Self.counts(upTo: limit, in: transaction),
                states: try Self.states(in: transaction),
                dead: try Self.deadCounts(in: transaction),
                health: try Self.health(transaction.preamble[2]))
        }
    }

    private static let healthQuery = PostgresQuery(
        """
        select coalesce(a.age, 0)::bigint, coalesce(a.seconds, 0)::double precision,
            coalesce(n_dead_tup, 0), coalesce(n_live_tup, 0)
        from pg_stat_user_tables, (
            select max(age(backend_xmin)) as age,
                max(extract(epoch from clock_timestamp() - xact_start))
                    filter (where backend_xmin is not null) as seconds
            from pg_stat_activity where pid <> pg_backend_pid()) a
        where schemaname = 'sineta' and relname = 'jobs'
        """)

    private static func health(_ rows: PostgresRows) throws(PostgresError) -> QueueHealth {
        guard let row = rows.first else {
            return QueueHealth(oldestTransactions: 0, oldestSeconds: 0, deadRows: 0, rows: 0)
        }
        return QueueHealth(
            oldestTransactions: try row.int64(0), oldestSeconds: try row.double(1),
            deadRows: try row.int64(2), rows: try row.int64(3))
    }
}
