public import Postgres
public import Runtime
import Values

/// How many jobs stand in one lane, counted up to a limit.
public struct LaneCount: Sendable {
    public let lane: Lane
    public let ready: Int
    /// With a time, due or not.
    public let scheduled: Int
    public let leased: Int
    /// How long the oldest job that could be taken has been waiting; nil when there is none.
    public let oldestDue: Duration?
    /// True when one of the figures stopped at the limit.
    public let isCapped: Bool
}

extension JobQueue {
    /// How the lanes are filled, each figure counted up to `limit`.
    ///
    /// Counting reads the head of the queue, where dead rows lie while vacuum is held up: ask
    /// rarely, and with a short deadline.
    public func counts(
        upTo limit: Int = 10_000, deadline: Deadline
    ) async throws(PostgresError) -> [LaneCount] {
        try Self.counts(
            await run(Self.countsSQL, .int(limit), deadline: deadline), limit: limit)
    }

    /// The same in a transaction, for role `sineta_operator`.
    public static func counts(
        upTo limit: Int = 10_000, in transaction: PostgresTransaction
    ) throws(PostgresError) -> [LaneCount] {
        try counts(transaction.query(countsSQL, .int(limit)), limit: limit)
    }

    private static func counts(
        _ rows: PostgresRows, limit: Int
    ) throws(PostgresError) -> [LaneCount] {
        var counts: [LaneCount] = []
        for row in rows {
            let lane = Lane(
                id: LaneID(try row.int32(0)), kind: try row.text(1),
                credential: Credential(name: try row.text(2), environment: try row.text(3)),
                urgency: try row.int(4))
            let ready = try row.int(5)
            let scheduled = try row.int(6)
            let leased = try row.int(7)
            counts.append(
                LaneCount(
                    lane: lane, ready: ready, scheduled: scheduled, leased: leased,
                    oldestDue: try row.optionalDouble(8).map { Duration.seconds($0) },
                    isCapped: ready >= limit || scheduled + leased >= limit))
        }
        return counts
    }

    /// The oldest of the ready is looked for among the first hundred by tag.
    static let countsSQL: StaticSQL = """
        select l.id, l.kind, l.credential, l.environment, l.urgency,
            (select count(*) from (
                select from sineta.jobs where lane = l.id and wake_at is null limit $1) r),
            t.scheduled, t.leased,
            extract(epoch from now() - least(t.due, (
                select min(created_at) from (
                    select created_at from sineta.jobs where lane = l.id and wake_at is null
                    order by tag limit 100) o)))::double precision
        from sineta.lanes l cross join lateral (
            select count(*) filter (where lease_id is null) as scheduled,
                count(*) filter (where lease_id is not null) as leased,
                min(wake_at) filter (where lease_id is null and wake_at <= now()) as due
            from (
                (select wake_at, lease_id from sineta.jobs
                where lane = l.id and wake_at is not null
                    and losses + (lease_id is not null)::integer < 2
                order by wake_at limit $1)
                union all
                (select wake_at, lease_id from sineta.jobs
                where lane = l.id and wake_at is not null
                    and losses + (lease_id is not null)::integer >= 2
                order by wake_at limit $1)) x) t
        order by l.id
        """
}
