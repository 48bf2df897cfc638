public import Postgres
public import Runtime
public import Values

/// What was found in lanes that are not open.
public struct StaleClaim: Sendable {
    /// Jobs past their `expires_at`, under a lease.
    public let jobs: [ClaimedJob]
    /// For lanes that hold more ready jobs than were looked at, the last tag among these.
    public let lastTags: [LaneID: Int64]
}

extension JobQueue {
    /// Takes jobs past their `expires_at` from those of the lanes that are paused, broken or off:
    /// they need no credential to end, and nobody else may claim them.
    ///
    /// Fair tags are no order of time, so that what is past its life may stand behind what lives.
    /// Only the next `limit` of the ready jobs of a lane are looked at; where there are more, the
    /// answer says where to go on. So it reads a bounded part of the indexes, and nothing while all
    /// lanes are open.
    ///
    /// - Parameters:
    ///   - tags: the lanes, each with the tag behind which to look.
    ///   - limit: of ready, of due and of suspect jobs each.
    ///   - lease: a fresh random id.
    public func claimStale(
        behind tags: [LaneID: Int64], upTo limit: Int = 200, lease: LeaseID,
        for duration: Duration, deadline: Deadline
    ) async throws(PostgresError) -> StaleClaim {
        let lanes = tags.sorted { $0.key < $1.key }
        let rows = try await run(
            Self.staleSQL, .int32s(lanes.map(\.key.number)), .int64s(lanes.map(\.value)),
            .int(limit), .id(lease), .interval(duration), deadline: deadline)
        var jobs: [ClaimedJob] = []
        var lastTags: [LaneID: Int64] = [:]
        for row in rows {
            if try row.int(2) >= limit { lastTags[LaneID(try row.int32(0))] = try row.int64(3) }
            if try !row.isNull(5) { jobs.append(try Self.job(row, lease: lease)) }
        }
        return StaleClaim(jobs: jobs, lastTags: lastTags)
    }

    /// What is looked at is not locked: only what is taken is, by its key, and asked again whether
    /// it is free. The columns are those of `claimSQL`.
    static let staleSQL: StaticSQL = """
        with l as materialized (
            select l.lane, l.behind from unnest($1::integer[], $2::bigint[]) l (lane, behind)
            join sineta.lanes r on r.id = l.lane
            join sineta.lane_states s
                on s.credential = r.credential and s.environment = r.environment
            where s.state <> 'open'),
        ready as materialized (
            select l.lane, j.id, j.tag, j.is_stale from l cross join lateral (
                select id, tag, expires_at <= now() as is_stale from sineta.jobs
                where lane = l.lane and wake_at is null and tag > l.behind
                order by tag limit $3) j),
        due as materialized (
            select j.id, j.is_stale from l cross join lateral (
                (select id, expires_at <= now() as is_stale from sineta.jobs
                where lane = l.lane and wake_at <= now()
                    and losses + (lease_id is not null)::integer < 2
                order by wake_at limit $3)
                union all
                (select id, expires_at <= now() from sineta.jobs
                where lane = l.lane and wake_at <= now()
                    and losses + (lease_id is not null)::integer >= 2
                order by wake_at limit $3)) j),
        held as materialized (
            select ctid as at from sineta.jobs
            where id = any (array(
                    select id from ready where is_stale
                    union all select id from due where is_stale))
                and (wake_at is null or wake_at <= now())
            for update skip locked),
        n as materialized (
            select l.lane, count(r.tag) as seen, max(r.tag) as last
            from l left join ready r on r.lane = l.lane group by l.lane),
        u as (
            update sineta.jobs set wake_at = now() + $5::interval, timed_at = now(),
                lease_id = $4, losses = losses + (lease_id is not null)::integer
            where ctid = any (array(select at from held))
            returning lane, id, kind, store_id, subject, target, member, raised_at, created_at,
                expires_at, attempts, losses, args,
                case when attempts > 0 then tries end as tries)
        select n.lane, now(), n.seen, n.last, 0, u.id, u.kind, u.store_id, u.subject, u.target,
            u.member, u.raised_at, u.created_at, u.expires_at, u.attempts, u.losses, u.args, u.tries
        from n left join u on u.lane = n.lane
        """
}
