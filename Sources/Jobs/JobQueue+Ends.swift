public import Postgres
public import Runtime
public import Values

/// A failed attempt, or a wait that costs none.
public struct Postponement: Sendable {
    public var job: HeldJob
    public var wait: Duration
    /// False for a snooze, a give-back, a failed probe.
    public var countsAsAttempt: Bool
    /// A word for `last_error`; nil leaves what stands there.
    public var reason: String?
    /// The attempt as a JSON object `{"at","status","reason"}`, which travels with the job.
    public var attempt: [UInt8]?

    public init(
        job: HeldJob, wait: Duration, countsAsAttempt: Bool, reason: String? = nil,
        attempt: [UInt8]? = nil
    ) {
        self.job = job
        self.wait = wait
        self.countsAsAttempt = countsAsAttempt
        self.reason = reason
        self.attempt = attempt
    }
}

/// A job that goes to the dead letter.
public struct Burial: Sendable {
    public var job: HeldJob
    public var reason: String
    /// False for what never was an attempt: `poison`, `unknown_kind`, `undecodable`.
    public var countsAsAttempt: Bool
    public var attempt: [UInt8]?

    public init(
        job: HeldJob, reason: String, countsAsAttempt: Bool, attempt: [UInt8]? = nil
    ) {
        self.job = job
        self.reason = reason
        self.countsAsAttempt = countsAsAttempt
        self.attempt = attempt
    }
}

/// Each gives back the ids that were still ours; the others are fenced.
extension JobQueue {
    /// Ends jobs well, when nothing is kept of them. A product that keeps something writes it from
    /// the rows of `sineta.jobs_finish` in one statement of its own.
    public func finish(
        _ jobs: [HeldJob], deadline: Deadline
    ) async throws(PostgresError) -> Set<JobID> {
        guard !jobs.isEmpty else { return [] }
        let rows = try await run(
            "select id from sineta.jobs_finish($1, $2)", .ids(jobs.lazy.map(\.id)),
            .ids(jobs.lazy.map(\.lease)), deadline: deadline)
        return try Self.ids(rows)
    }

    /// The same inside a transaction, so that an end and what follows from it are one.
    public static func finish(
        _ jobs: [HeldJob], in transaction: PostgresTransaction
    ) throws(PostgresError) -> Set<JobID> {
        guard !jobs.isEmpty else { return [] }
        let rows = try transaction.query(
            "select id from sineta.jobs_finish($1, $2)", .ids(jobs.lazy.map(\.id)),
            .ids(jobs.lazy.map(\.lease)))
        return try ids(rows)
    }

    /// Puts jobs back with a time before which they are not taken. That time is never null: an old
    /// fair tag would lie under the low bound of the claims.
    public func postpone(
        _ postponements: [Postponement], deadline: Deadline
    ) async throws(PostgresError) -> Set<JobID> {
        guard !postponements.isEmpty else { return [] }
        let rows = try await run(
            Self.postponeSQL, .ids(postponements.lazy.map(\.job.id)),
            .ids(postponements.lazy.map(\.job.lease)),
            .int64s(postponements.map { max(0, $0.wait.microseconds) }),
            .int16s(postponements.map { $0.countsAsAttempt ? 1 : 0 }),
            .texts(postponements.map(\.reason)), .jsons(postponements.map(\.attempt)),
            deadline: deadline)
        return try Self.ids(rows)
    }

    /// Gives back what has not started: due at once, no attempt, no loss.
    public func giveBack(
        _ jobs: [HeldJob], deadline: Deadline
    ) async throws(PostgresError) -> Set<JobID> {
        try await postpone(
            jobs.map { Postponement(job: $0, wait: .zero, countsAsAttempt: false) },
            deadline: deadline)
    }

    /// Moves jobs to the dead letter.
    public func bury(
        _ burials: [Burial], deadline: Deadline
    ) async throws(PostgresError) -> Set<JobID> {
        guard !burials.isEmpty else { return [] }
        let rows = try await run(
            Self.burySQL, .ids(burials.lazy.map(\.job.id)), .ids(burials.lazy.map(\.job.lease)),
            .texts(burials.map(\.reason)), .int16s(burials.map { $0.countsAsAttempt ? 1 : 0 }),
            .jsons(burials.map(\.attempt)), deadline: deadline)
        return try Self.ids(rows)
    }

    /// Moves jobs of the intake to the lane of their kind, due at once.
    public func place(
        _ jobs: [(job: HeldJob, lane: LaneID)], deadline: Deadline
    ) async throws(PostgresError) -> Set<JobID> {
        guard !jobs.isEmpty else { return [] }
        let rows = try await run(
            """
            update sineta.jobs j set lane = o.lane, wake_at = now(), timed_at = now(),
                lease_id = null
            from unnest($1::uuid[], $2::uuid[], $3::integer[]) o (id, lease, lane)
            where j.id = o.id and j.lease_id = o.lease returning j.id
            """,
            .ids(jobs.lazy.map(\.job.id)), .ids(jobs.lazy.map(\.job.lease)),
            .int32s(jobs.map(\.lane.number)), deadline: deadline)
        return try Self.ids(rows)
    }

    /// Keeps a job for another lease with new arguments: the cursor of work done in chunks.
    /// False when it was taken over; then the transaction must be rolled back.
    public static func advance(
        _ job: HeldJob, args: [UInt8], lease duration: Duration, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Bool {
        let rows = try transaction.query(
            """
            update sineta.jobs set args = $3, wake_at = now() + $4::interval, timed_at = now()
            where id = $1 and lease_id = $2 returning id
            """,
            .id(job.id), .id(job.lease), .json(args), .interval(duration))
        return !rows.isEmpty
    }

    static func ids(_ rows: PostgresRows) throws(PostgresError) -> Set<JobID> {
        var ids = Set<JobID>(minimumCapacity: rows.count)
        for row in rows { ids.insert(try row.id(0)) }
        return ids
    }

    static let postponeSQL: StaticSQL = """
        update sineta.jobs j set
            wake_at = now() + o.wait * interval '1 microsecond', timed_at = now(),
            attempts = j.attempts + o.cost, lease_id = null,
            last_error = coalesce(o.reason, j.last_error),
            tries = case when o.try is null then j.tries
                else coalesce(j.tries, '[]') || jsonb_build_array(o.try) end
        from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::smallint[], $5::text[], $6::jsonb[])
            o (id, lease, wait, cost, reason, try)
        where j.id = o.id and j.lease_id = o.lease returning j.id
        """

    static let burySQL: StaticSQL = """
        with o as (
            select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::smallint[], $5::jsonb[])
                o (id, lease, reason, cost, try)),
        gone as (
            delete from sineta.jobs j using o where j.id = o.id and j.lease_id = o.lease
            returning j.*, o.reason, o.cost, o.try)
        insert into sineta.jobs_dead (
            id, store_id, subject, target, member, lease_id, tag, wake_at, raised_at, created_at,
            expires_at, lane, attempts, losses, kind, args, tries, last_error, reason)
        select id, store_id, subject, target, member, null, tag, null, raised_at, created_at,
            expires_at, lane, attempts + cost, losses, kind, args,
            case when try is null then tries
                else coalesce(tries, '[]') || jsonb_build_array(try) end,
            coalesce(reason, last_error), reason
        from gone returning id
        """
}
