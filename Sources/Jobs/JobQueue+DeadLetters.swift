public import Postgres
public import Values

/// A job that will not be tried again by itself.
public struct DeadLetter: Sendable {
    /// Its number among the dead, which a list pages by.
    public let number: Int64
    public let id: JobID
    public let kind: String
    public let lane: LaneID
    public let store: StoreID
    public let subject: UUID?
    public let target: UUID?
    public let member: UUID?
    public let reason: String
    public let attempts: Int
    public let losses: Int
    public let raisedAt: Timestamp
    public let buriedAt: Timestamp
    public let expiresAt: Timestamp?
    /// Its attempts, a JSON array of `{"at","status","reason"}`; nil for none.
    public let tries: [UInt8]?
}

/// What of the dead is meant; nil means all.
public struct DeadLetterFilter: Sendable {
    public var reason: String?
    public var store: StoreID?
    public var kind: String?

    public init(reason: String? = nil, store: StoreID? = nil, kind: String? = nil) {
        self.reason = reason
        self.store = store
        self.kind = kind
    }
}

/// Reading asks for role `sineta_operator` or `sineta_worker`; nothing here needs a pool of its
/// own, so that an operator's request runs it in its transaction.
extension JobQueue {
    /// The newest first, those before `before` when given.
    public static func deadLetters(
        _ filter: DeadLetterFilter, before: Int64?, limit: Int, in transaction: PostgresTransaction
    ) throws(PostgresError) -> [DeadLetter] {
        let rows = try transaction.query(
            """
            select dead_id, id, kind, lane, store_id, subject, target, member, reason, attempts,
                losses, raised_at, buried_at, expires_at, tries
            from sineta.jobs_dead
            where ($1::text is null or reason = $1) and ($2::uuid is null or store_id = $2)
                and ($3::text is null or kind = $3) and ($4::bigint is null or dead_id < $4)
            order by dead_id desc limit $5
            """,
            .optionalText(filter.reason), .optionalID(filter.store), .optionalText(filter.kind),
            .optionalInt64(before), .int(limit))
        return try letters(rows)
    }

    /// The oldest first, those behind `after`: for walking through all of them.
    public static func deadLetters(
        _ filter: DeadLetterFilter, after: Int64, limit: Int, in transaction: PostgresTransaction
    ) throws(PostgresError) -> [DeadLetter] {
        try deadLetters(
            deadNumbers(filter, after: after, limit: limit, in: transaction), in: transaction
        ).reversed()
    }

    /// Those of the numbers that exist, the newest first.
    public static func deadLetters(
        _ numbers: [Int64], in transaction: PostgresTransaction
    ) throws(PostgresError) -> [DeadLetter] {
        try letters(
            transaction.query(
                """
                select dead_id, id, kind, lane, store_id, subject, target, member, reason, attempts,
                    losses, raised_at, buried_at, expires_at, tries
                from sineta.jobs_dead where dead_id = any ($1::bigint[]) order by dead_id desc
                """, .int64s(numbers)))
    }

    /// How many lie there for each kind and reason, the most first.
    public static func deadCounts(
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> [(kind: String, reason: String, count: Int)] {
        let rows = try transaction.query(
            """
            select kind, reason, count(*) from sineta.jobs_dead
            group by kind, reason order by count(*) desc, reason, kind limit 1000
            """)
        var counts: [(kind: String, reason: String, count: Int)] = []
        for row in rows {
            counts.append((try row.text(0), try row.text(1), try row.int(2)))
        }
        return counts
    }

    /// How many lie there of each kind in each lane.
    public static func deadByLane(
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> [(kind: String, lane: LaneID, count: Int)] {
        let rows = try transaction.query(
            "select kind, lane, count(*) from sineta.jobs_dead group by kind, lane order by 2, 1")
        var counts: [(kind: String, lane: LaneID, count: Int)] = []
        for row in rows {
            counts.append((try row.text(0), LaneID(try row.int32(1)), try row.int(2)))
        }
        return counts
    }

    /// Puts dead letters back to work in the bulk lane of their kind: same id, no attempts.
    /// Gives the numbers that went; one whose id is alive again stays.
    public static func revive(
        _ numbers: [Int64], in transaction: PostgresTransaction
    ) throws(PostgresError) -> [Int64] {
        let rows = try transaction.query(
            "select dead_id from sineta.jobs_revive($1::bigint[])", .int64s(numbers))
        var revived: [Int64] = []
        for row in rows { revived.append(try row.int64(0)) }
        return revived
    }

    private static func letters(_ rows: PostgresRows) throws(PostgresError) -> [DeadLetter] {
        var letters: [DeadLetter] = []
        for row in rows {
            letters.append(
                DeadLetter(
                    number: try row.int64(0), id: try row.id(1), kind: try row.text(2),
                    lane: LaneID(try row.int32(3)), store: try row.id(4),
                    subject: try row.optionalUUID(5), target: try row.optionalUUID(6),
                    member: try row.optionalUUID(7), reason: try row.text(8),
                    attempts: try row.int(9), losses: try row.int(10),
                    raisedAt: try row.timestamp(11), buriedAt: try row.timestamp(12),
                    expiresAt: try row.optionalTimestamp(13), tries: try row.optionalJSON(14)))
        }
        return letters
    }
}
