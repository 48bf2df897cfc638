public import Postgres
public import Runtime
public import Values

extension JobQueue {
    /// Takes jobs of several lanes for `lease`, each lane within its quota and bounds, in one
    /// statement of its own. Lanes that are paused, broken or off give nothing.
    ///
    /// - Parameters:
    ///   - passed: a store that is passed over. Of the hundred jobs that are ready first in each
    ///     lane the others' are taken, and nothing that is due: a store that has few jobs stands
    ///     among the first, by its fair tags, and all that the passed one has waiting is not read.
    ///   - lease: a fresh random id.
    public func claim(
        _ requests: [ClaimRequest], passing passed: StoreID? = nil, lease: LeaseID,
        for duration: Duration, deadline: Deadline
    ) async throws(PostgresError) -> Claim {
        let start = ContinuousClock.now
        let rows = try await run(
            Self.claimSQL, .id(lease), .int32s(requests.map(\.lane.number)),
            .int64s(requests.map(\.bounds.lowTag)), .timestamps(requests.map(\.bounds.dueFrom)),
            .int32s(requests.map { Int32(clamping: $0.quota) }), .interval(duration),
            .timestamps(requests.map(\.bounds.suspectsFrom)),
            .int32s(requests.map { $0.suspectRank.map(Int32.init(clamping:)) }),
            .optionalID(passed), deadline: deadline)
        return try Self.read(
            rows, requests: requests, lease: lease, leaseEnds: Deadline(start + duration),
            start: start, took: ContinuousClock.now - start)
    }

    /// Takes one job of a broken credential, when its probe is due, and puts the next probe off by
    /// `interval`. Nil when it is not due, another worker has it, or nothing is waiting.
    ///
    /// Jobs past their `expires_at` that stand before it come with it, some at a time: they need no
    /// provider to end, and as probes they would try nothing. After a long outage they are the head
    /// of every lane; when there is nothing else among the first, the next probe is due at once.
    ///
    /// A probe that lies further off than `interval` and a minute was put off while the database's
    /// clock was ahead, and is due. The minute is for workers of another interval.
    ///
    /// - Parameter takesSuspect: whether one suspect may be among them.
    public func claimProbe(
        of credential: Credential, every interval: Duration, lease: LeaseID,
        for duration: Duration, takesSuspect: Bool = true, deadline: Deadline
    ) async throws(PostgresError) -> Claim? {
        let start = ContinuousClock.now
        let rows = try await run(
            Self.probeSQL, .text(credential.name), .text(credential.environment),
            .interval(interval), .id(lease), .interval(duration), .bool(takesSuspect),
            deadline: deadline)
        if rows.isEmpty { return nil }
        return Claim(
            jobs: try rows.map { row throws(PostgresError) in try Self.job(row, lease: lease) },
            lanes: [:], leaseEnds: Deadline(start + duration),
            clock: DatabaseClock(try rows[0].timestamp(1), at: start))
    }

    static func read(
        _ rows: PostgresRows, requests: [ClaimRequest], lease: LeaseID, leaseEnds: Deadline,
        start: ContinuousClock.Instant, took: Duration
    ) throws(PostgresError) -> Claim {
        var jobs: [ClaimedJob] = []
        jobs.reserveCapacity(rows.count)
        var lanes: [LaneID: Claim.Lane] = [:]
        // It stands in every row: how many suspects all lanes gave together.
        let suspects = try rows.first?.int(19) ?? 0
        for row in rows {
            let lane = LaneID(try row.int32(0))
            if lanes[lane] == nil, let request = requests.first(where: { $0.lane == lane }) {
                lanes[lane] = try Self.lane(
                    row, of: request, hadNoSuspects: suspects == 0, took: took)
            }
            if try !row.isNull(5) { jobs.append(try job(row, lease: lease)) }
        }
        // Without rows there are no jobs that could ask.
        let time = try rows.first?.timestamp(1) ?? .now()
        return Claim(
            jobs: jobs, lanes: lanes, leaseEnds: leaseEnds, clock: DatabaseClock(time, at: start))
    }

    private static func lane(
        _ row: PostgresRow, of request: ClaimRequest, hadNoSuspects: Bool, took: Duration
    ) throws(PostgresError) -> Claim.Lane {
        try .make(
            request, due: row.int(2), ready: row.int(3), suspects: row.int(18),
            lowestTag: row.optionalInt64(4), hadNoSuspects: hadNoSuspects,
            databaseTime: row.timestamp(1), took: took, openSince: row.optionalTimestamp(20))
    }

    static func job(
        _ row: PostgresRow, lease: LeaseID
    ) throws(PostgresError) -> ClaimedJob {
        let attempts = try row.int(14)
        return ClaimedJob(
            id: try row.id(5), lease: lease, lane: LaneID(try row.int32(0)),
            kind: try row.text(6), store: try row.id(7), subject: try row.optionalUUID(8),
            target: try row.optionalUUID(9), member: try row.optionalUUID(10),
            raisedAt: try row.timestamp(11), createdAt: try row.timestamp(12),
            expiresAt: try row.optionalTimestamp(13), attempts: attempts,
            losses: try row.int(15), args: try row.optionalJSON(16),
            tries: try row.optionalJSON(17).map { Attempt.last(attempts, of: $0) } ?? [])
    }

    /// A row for each open lane at least, so that the database's time is known when nothing was
    /// taken. The clock moves once a lane, not once a row: each call writes a record of WAL; it
    /// stays where a store is passed over, or new jobs of all stores would come to stand behind it.
    /// A ctid is good only inside the statement that locked its row.
    static let claimSQL: StaticSQL = """
        with l as materialized (
            select l.lane, l.low, l.quota, s.since,
                case when $9::uuid is null then coalesce(l.due_from, '-infinity')
                    else 'infinity' end as due_from,
                coalesce(l.suspects_from, '-infinity') as suspects_from, l.suspect_rank,
                case when $9 is not null then (
                    select tag from sineta.jobs where lane = l.lane and wake_at is null
                        and tag >= l.low order by tag offset 100 limit 1) end as high
            from unnest($2::integer[], $3::bigint[], $4::timestamptz[], $5::integer[],
                $7::timestamptz[], $8::integer[])
                l (lane, low, due_from, quota, suspects_from, suspect_rank)
            join sineta.lanes r on r.id = l.lane
            left join sineta.lane_states s
                on s.credential = r.credential and s.environment = r.environment
            where coalesce(s.state, 'open') = 'open'),
        suspect as materialized (
            select l.lane, j.at from (
                select * from l where suspect_rank is not null and quota > 0
                order by suspect_rank) l
            cross join lateral (
                select ctid as at from sineta.jobs
                where lane = l.lane and wake_at <= now() and wake_at > l.suspects_from
                    and losses + (lease_id is not null)::integer >= 2
                order by wake_at limit 1 for update skip locked) j
            limit 1),
        due as materialized (
            select l.lane, j.at from l cross join lateral (
                select ctid as at from sineta.jobs
                where lane = l.lane and wake_at <= now() and wake_at > l.due_from
                    and losses + (lease_id is not null)::integer < 2
                order by wake_at
                limit (l.quota - (select count(*) from suspect s where s.lane = l.lane) + 1) / 2
                for update skip locked) j),
        ready as materialized (
            select l.lane, j.at, j.tag from l cross join lateral (
                select ctid as at, tag from sineta.jobs
                where lane = l.lane and wake_at is null and tag >= l.low
                    and tag < coalesce(l.high, 9223372036854775807)
                    and store_id is distinct from $9
                order by tag limit l.quota - (select count(*) from due where due.lane = l.lane)
                    - (select count(*) from suspect s where s.lane = l.lane)
                for update skip locked) j),
        n as materialized (
            select l.lane, (select count(*) from due d where d.lane = l.lane) as due,
                count(r.tag) as ready, min(r.tag) as low, max(r.tag) as high, l.since
            from l left join ready r on r.lane = l.lane group by l.lane, l.since),
        u as (
            update sineta.jobs set wake_at = now() + $6::interval, timed_at = now(),
                lease_id = $1, losses = losses + (lease_id is not null)::integer
            where ctid = any (array(
                select at from suspect union all select at from due union all select at from ready))
            returning lane, id, kind, store_id, subject, target, member, raised_at, created_at,
                expires_at, attempts, losses, args,
                case when attempts > 0 then tries end as tries),
        k as materialized (
            select sineta.jobs_clock_advance(lane, high) from n
            where high is not null and $9 is null)
        select n.lane, now(), n.due, n.ready, n.low, u.id, u.kind, u.store_id, u.subject, u.target,
            u.member, u.raised_at, u.created_at, u.expires_at, u.attempts, u.losses, u.args,
            u.tries, (select count(*) from suspect s where s.lane = n.lane),
            (select count(*) from suspect), n.since
        from n left join u on u.lane = n.lane cross join (select count(*) from k) k
        """

    static let probeSQL: StaticSQL = """
        with gate as materialized (
            select credential, environment from sineta.lane_states
            where credential = $1 and environment = $2 and state = 'broken'
                and (next_probe_at <= now()
                    or next_probe_at > now() + $3::interval + interval '1 minute')
            for update skip locked),
        lane as materialized (
            select l.id, l.urgency from gate join sineta.lanes l
                on l.credential = gate.credential and l.environment = gate.environment),
        ready as materialized (
            select lane.urgency, j.at, j.tag, j.expires_at <= now() as is_stale
            from lane cross join lateral (
                select ctid as at, tag, expires_at from sineta.jobs
                where jobs.lane = lane.id and wake_at is null
                order by tag limit 50 for update skip locked) j),
        due as materialized (
            select lane.urgency, j.at, j.wake_at, j.expires_at <= now() as is_stale
            from lane cross join lateral (
                select ctid as at, wake_at, expires_at from sineta.jobs
                where jobs.lane = lane.id and wake_at <= now()
                    and losses + (lease_id is not null)::integer < 2
                order by wake_at limit 50 for update skip locked) j
            union all (
                select lane.urgency, j.at, j.wake_at, j.expires_at <= now()
                from lane cross join lateral (
                    select ctid as at, wake_at, expires_at from sineta.jobs
                    where $6 and jobs.lane = lane.id and wake_at <= now()
                        and losses + (lease_id is not null)::integer >= 2
                    order by wake_at limit 1 for update skip locked) j
                limit 1)),
        pick as materialized (
            select at from (
                select urgency, 0 as turn, tag, null as wake_at, at from ready
                where is_stale is not true
                union all
                select urgency, 1, 0, wake_at, at from due where is_stale is not true) c
            order by urgency, turn, tag, wake_at limit 1),
        taken as materialized (
            select at from pick
            union all select at from ready where is_stale
            union all select at from due where is_stale),
        next as (
            update sineta.lane_states s set probes = s.probes + 1,
                next_probe_at = case when exists (select 1 from pick)
                    then now() + $3::interval else now() end
            from gate where s.credential = gate.credential and s.environment = gate.environment
                and exists (select 1 from taken))
        update sineta.jobs set wake_at = now() + $5::interval, timed_at = now(),
            lease_id = $4, losses = losses + (lease_id is not null)::integer
        where ctid = any (array(select at from taken))
        returning lane, now(), 0, 0, 0, id, kind, store_id, subject, target, member, raised_at,
            created_at, expires_at, attempts, losses, args, case when attempts > 0 then tries end
        """
}
