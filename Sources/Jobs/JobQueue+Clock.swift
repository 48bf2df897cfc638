public import Postgres
public import Runtime

extension JobQueue {
    /// Lets leases and waits that were written while the database's clock was ahead begin anew,
    /// each as long as it was: what was to be due in a minute is so a minute from now, and a job
    /// that is held keeps its holder.
    ///
    /// They are known by when they were written: later than now, by more than the clocks of servers
    /// that take over from each other differ. What is due within a lease is left, so that leases
    /// that stand as they should are not read. Of each lane and kind of index 200 at a time are
    /// looked at, from the far end.
    ///
    /// - Returns: how many there were.
    @discardableResult
    public func bringNear(
        _ lanes: [LaneID], lease: Duration, deadline: Deadline
    ) async throws(PostgresError) -> Int {
        let rows = try await run(
            Self.bringNearSQL, .int32s(lanes.map(\.number)), .interval(lease), deadline: deadline)
        return rows.count
    }

    /// The rows are locked by their ids once they are few: locks in the scan would be taken on what
    /// the condition then leaves as it is. It holds under the lock as well: another may have come
    /// first. A wait is carried over in seconds: days would be stretched where daylight saving
    /// begins or ends in the session's zone.
    static let bringNearSQL: StaticSQL = """
        with far as materialized (
            select j.id from unnest($1::integer[]) l (lane) cross join lateral (
                select * from (
                    select id, timed_at from sineta.jobs
                    where lane = l.lane and wake_at > now() + $2::interval
                        and losses + (lease_id is not null)::integer < 2
                    order by wake_at desc limit 200) t
                union all
                select * from (
                    select id, timed_at from sineta.jobs
                    where lane = l.lane and wake_at > now() + $2::interval
                        and losses + (lease_id is not null)::integer >= 2
                    order by wake_at desc limit 200) s) j
            where j.timed_at > now() + interval '10 seconds'),
        locked as materialized (
            select ctid as at from sineta.jobs where id = any (array(select id from far))
                and timed_at > now() + interval '10 seconds' for update skip locked)
        update sineta.jobs set timed_at = now(),
            wake_at = now() + make_interval(secs => extract(epoch from wake_at - timed_at))
        where ctid = any (array(select at from locked)) returning 1
        """
}
