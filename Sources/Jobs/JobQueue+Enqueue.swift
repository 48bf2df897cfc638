public import Postgres
import Values

extension JobQueue {
    /// Adds jobs in the caller's transaction: there is no other way.
    ///
    /// Call it last before COMMIT: it locks the fair tags of the stores concerned, in one order
    /// everywhere. Any number of jobs, stores and lanes, in their order within a store.
    public static func enqueue(
        _ jobs: [NewJob], in transaction: PostgresTransaction
    ) throws(PostgresError) {
        guard !jobs.isEmpty else { return }
        _ = try transaction.query(enqueueQuery(jobs))
    }

    /// The same as a statement, for a pipeline.
    public static func enqueueQuery(_ jobs: [NewJob]) -> PostgresQuery {
        PostgresQuery(enqueueSQL, enqueueValues(jobs))
    }

    static func enqueueValues(_ jobs: [NewJob]) -> [PostgresValue] {
        [
            .ids(jobs.lazy.map(\.id)),
            .int32s(jobs.map(\.lane.number)),
            .texts(jobs.map(\.kind)),
            .ids(jobs.lazy.map(\.store)),
            .uuids(jobs.map(\.subject)),
            .uuids(jobs.map(\.target)),
            .uuids(jobs.map(\.member)),
            .timestamps(jobs.map(\.raisedAt)),
            .timestamps(jobs.map(\.expiresAt)),
            .jsons(jobs.map(\.args)),
        ]
    }

    /// Start-time fair queueing: a store's jobs follow its last tag, or the lane's virtual time if
    /// that is ahead. A job costs 1,000,000 units. The random part spreads the rounds of stores in
    /// step and keeps the order inside a store.
    static let enqueueSQL: StaticSQL = """
        with u as materialized (
            select * from unnest(
                $1::uuid[], $2::integer[], $3::text[], $4::uuid[], $5::uuid[], $6::uuid[],
                $7::uuid[], $8::timestamptz[], $9::timestamptz[], $10::jsonb[]) with ordinality
                u (id, lane, kind, store_id, subject, target, member, raised_at, expires_at, args, n)),
        c as (
            select lane, store_id, count(*) * 1000000 as cost from u group by lane, store_id),
        v as materialized (
            select lane, sineta.jobs_clock(lane) as v from (select distinct lane from c) l),
        q as (
            insert into sineta.fair_tags as q (lane, store_id, tag, base)
            select c.lane, c.store_id, v.v + c.cost, v.v from c join v on v.lane = c.lane
            order by c.lane, c.store_id
            on conflict (lane, store_id) do update set
                tag = greatest(q.tag, excluded.base) + excluded.tag - excluded.base,
                base = excluded.base
            returning lane, store_id, tag)
        insert into sineta.jobs (
            id, lane, kind, store_id, tag, wake_at, timed_at, subject, target, member, raised_at,
            expires_at, args)
        select u.id, u.lane, u.kind, u.store_id,
            q.tag - (row_number() over (partition by u.lane, u.store_id order by u.n desc) - 1)
                * 1000000 - floor(random() * 1000000)::bigint,
            null, null, u.subject, u.target, u.member, u.raised_at, u.expires_at, u.args
        from u join q on q.lane = u.lane and q.store_id = u.store_id
        """
}
