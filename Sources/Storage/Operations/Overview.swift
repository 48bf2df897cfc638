public import Postgres
public import Values

/// How much of one kind lies in one lane.
public struct QueueDepth: Sendable, Equatable {
    public let kind: String
    public let lane: Int
    public let ready: Int
    /// Due later: postponed.
    public let scheduled: Int
    public let leased: Int
    public let dead: Int
    /// How long the oldest due job has waited; nil when none is due.
    public let oldestDueSeconds: Double?
}

/// Pushes that providers took.
public struct Throughput: Sendable, Equatable {
    public let provider: String
    public let lastMinute: Int
    public let lastFiveMinutes: Int
}

/// What waits and what one store is served.
public struct StoreLoad: Sendable, Equatable {
    public let store: StoreID
    public let name: String
    public let waiting: Int
    /// Pushes that ended in the last five minutes, and their part of all.
    public let endedLastFiveMinutes: Int
    public let share: Double
}

/// What operators see of all stores: numbers, never content. Runs as `.operator`.
///
/// The counts walk the whole queue, so they are asked rarely and under a short deadline.
public enum Overview {
    public static func depths(
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> [QueueDepth] {
        try transaction.query(
            """
            with live as (
              select kind, lane,
                count(*) filter (where wake_at is null
                  or (lease_id is null and wake_at <= now())) as ready,
                count(*) filter (where lease_id is null and wake_at > now()) as scheduled,
                count(*) filter (where lease_id is not null) as leased,
                extract(epoch from now() - min(coalesce(wake_at, created_at)) filter (
                  where wake_at is null or (lease_id is null and wake_at <= now())))::float8
                  as oldest
              from sineta.jobs group by kind, lane),
            dead as (select kind, lane, count(*) as n from sineta.jobs_dead group by kind, lane)
            select coalesce(l.kind, d.kind), coalesce(l.lane, d.lane), coalesce(l.ready, 0),
              coalesce(l.scheduled, 0), coalesce(l.leased, 0), coalesce(d.n, 0), l.oldest
            from live l full join dead d on d.kind = l.kind and d.lane = l.lane
            order by 2, 1
            """
        ).map { row throws(PostgresError) in
            QueueDepth(
                kind: try row.text(0), lane: try row.int(1), ready: try row.int(2),
                scheduled: try row.int(3), leased: try row.int(4), dead: try row.int(5),
                oldestDueSeconds: try row.optionalDouble(6))
        }
    }

    public static func throughput(
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> [Throughput] {
        try transaction.query(
            """
            select provider, count(*) filter (where finished_at > now() - interval '1 minute'),
              count(*)
            from sineta.deliveries
            where day >= (now() at time zone 'UTC')::date - 1 and outcome = 'accepted'
              and finished_at > now() - interval '5 minutes' and provider is not null
            group by provider order by provider
            """
        ).map { row throws(PostgresError) in
            Throughput(
                provider: try row.text(0), lastMinute: try row.int(1),
                lastFiveMinutes: try row.int(2))
        }
    }

    /// Stores with anything waiting or ended, the most loaded first.
    public static func stores(
        limit: Int, in transaction: PostgresTransaction
    ) throws(PostgresError) -> [StoreLoad] {
        try transaction.query(
            """
            with w as (select store_id, count(*) as n from sineta.jobs group by store_id),
            e as (
              select store_id, count(*) as n from sineta.deliveries
              where day >= (now() at time zone 'UTC')::date - 1
                and finished_at > now() - interval '5 minutes' group by store_id)
            select s.id, s.name, coalesce(w.n, 0), coalesce(e.n, 0),
              coalesce(e.n::float8 / nullif((select sum(n) from e), 0), 0)
            from sineta.stores s left join w on w.store_id = s.id left join e on e.store_id = s.id
            order by coalesce(w.n, 0) desc, coalesce(e.n, 0) desc, s.id limit $1
            """, .int(limit)
        ).map { row throws(PostgresError) in
            StoreLoad(
                store: try row.id(0), name: try row.text(1), waiting: try row.int(2),
                endedLastFiveMinutes: try row.int(3), share: try row.double(4))
        }
    }
}
