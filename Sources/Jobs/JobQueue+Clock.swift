public import Postgres
public import Runtime

extension JobQueue {
    /// Brings near what was put off while the database's clock was far ahead: what waits becomes due,
    /// and what is held keeps its holder for one more lease.
    ///
    /// Taken for such are jobs further off than any lease and any wait of the policies (each an hour
    /// at most), unless they were there before and live until then: a provider may ask for a wait of
    /// as long as a push lives. Of each lane and kind of index 200 at a time are looked at, from the
    /// far end.
    ///
    /// - Returns: how many it were.
    @discardableResult
    public func bringNear(
        _ lanes: [LaneID], lease: Duration, deadline: Deadline
    ) async throws(PostgresError) -> Int {
        let rows = try await run(
            Self.bringNearSQL, .int32s(lanes.map(\.number)), .interval(lease), deadline: deadline)
        return rows.count
    }

    /// The rows are locked by their ids once they are few: locks in the scan would be taken on what
    /// the condition then leaves as it is. It holds in the update as well: another may have come first.
    static let bringNearSQL: StaticSQL = """
        with far as materialized (
            select j.id from unnest($1::integer[]) l (lane) cross join lateral (
                select * from (
                    select id, wake_at, expires_at, created_at from sineta.jobs
                    where lane = l.lane and wake_at > now() + interval '2 hours'
                        and losses + (lease_id is not null)::integer < 2
                    order by wake_at desc limit 200) t
                union all
                select * from (
                    select id, wake_at, expires_at, created_at from sineta.jobs
                    where lane = l.lane and wake_at > now() + interval '2 hours'
                        and losses + (lease_id is not null)::integer >= 2
                    order by wake_at desc limit 200) s) j
            where j.expires_at is null or j.wake_at >= j.expires_at
                or j.created_at > now() + interval '1 minute'),
        locked as materialized (
            select ctid as at from sineta.jobs where id = any (array(select id from far))
                and wake_at > now() + interval '2 hours' for update skip locked)
        update sineta.jobs set wake_at =
            case when lease_id is null then now() else now() + $2::interval end
        where ctid = any (array(select at from locked)) returning 1
        """
}
