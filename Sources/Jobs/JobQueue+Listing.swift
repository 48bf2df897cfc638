public import Postgres
public import Values

/// A job as it stands in the queue.
public struct JobLine: Sendable {
    public enum State: String, Sendable, CaseIterable {
        case ready
        /// With a time of its own, which may have come.
        case scheduled
        case leased
    }

    public let id: JobID
    public let kind: String
    public let lane: LaneID
    public let store: StoreID
    public let state: State
    public let attempts: Int
    public let losses: Int
    public let createdAt: Timestamp
    /// When it is due, or its lease ends.
    public let wakeAt: Timestamp?
    public let lastError: String?
}

extension JobQueue {
    /// Jobs as they stand, those that wait longest first. Asks for role `sineta_operator`.
    ///
    /// It sorts what it finds: ask under a statement timeout.
    public static func list(
        state: JobLine.State? = nil, kind: String? = nil, store: StoreID? = nil, limit: Int,
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> [JobLine] {
        let rows = try transaction.query(
            """
            select id, kind, lane, store_id, state, attempts, losses, created_at, wake_at, last_error
            from (
                select id, kind, lane, store_id, attempts, losses, created_at, wake_at, last_error,
                    case when lease_id is not null then 'leased'
                    when wake_at is null then 'ready' else 'scheduled' end as state
                from sineta.jobs) j
            where ($1::text is null or state = $1) and ($2::text is null or kind = $2)
                and ($3::uuid is null or store_id = $3)
            order by created_at, id limit $4
            """,
            .optionalText(state?.rawValue), .optionalText(kind), .optionalID(store), .int(limit))
        var lines: [JobLine] = []
        for row in rows {
            guard let state = JobLine.State(rawValue: try row.text(4)) else {
                throw .decoding("a job in an unknown state")
            }
            lines.append(
                JobLine(
                    id: try row.id(0), kind: try row.text(1), lane: LaneID(try row.int32(2)),
                    store: try row.id(3), state: state, attempts: try row.int(5),
                    losses: try row.int(6), createdAt: try row.timestamp(7),
                    wakeAt: try row.optionalTimestamp(8), lastError: try row.optionalText(9)))
        }
        return lines
    }
}
