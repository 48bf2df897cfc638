import Jobs
public import Postgres
public import Values

/// How much of one kind lies in one lane.
public struct QueueDepth: Sendable, Equatable {
    /// The kind of job.
    public let kind: String
    /// The lane's name, as `Lane.name` gives it; its number where the lane is not known.
    public let lane: String
    /// Due now, without a time of their own.
    public internal(set) var ready: Int
    /// With a time of their own, due or not.
    public internal(set) var scheduled: Int
    /// Held by a worker.
    public internal(set) var leased: Int
    /// Dead letters.
    public internal(set) var dead: Int
    /// How long the oldest due job has waited; nil when none is due.
    public internal(set) var oldestDueSeconds: Double?
}

/// Pushes that providers took.
public struct Throughput: Sendable, Equatable {
    /// `apns` or `fcm`.
    public let provider: String
    /// Accepted within one minute, of whichever store.
    public let lastMinute: Int
    /// Accepted within five minutes, the last one among them.
    public let lastFiveMinutes: Int
}

/// What waits and what one store is served.
public struct StoreLoad: Sendable, Equatable {
    public let store: StoreID
    public let name: String
    /// All its jobs, whatever their kind and whether due or not.
    public let waiting: Int
    /// Pushes that ended in the last five minutes, and their part of all.
    public let endedLastFiveMinutes: Int
    /// From 0 to 1; 0 when nothing ended.
    public let share: Double
    /// The part that it may claim: all stores with anything to do get the same.
    public let fairShare: Double
}

/// What operators see of all stores: numbers, never content. Runs as `.operator`.
///
/// The counts read the head of the queue, where dead rows lie while vacuum is held up: they are
/// asked rarely, and only after `bound`.
public enum Overview {
    /// Each figure of `depths` stops at this number.
    public static let countLimit = 100_000

    /// Lets no statement of this transaction run longer.
    public static func bound(
        _ time: Duration, in transaction: PostgresTransaction
    ) throws(PostgresError) {
        _ = try transaction.query(
            "select set_config('statement_timeout', $1, true)",
            .text("\(Int(time.secondsAsDouble * 1000))"))
    }

    /// What lies where, in the order of the lanes; what is empty is left out.
    public static func depths(
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> [QueueDepth] {
        let counts = try JobQueue.counts(upTo: countLimit, in: transaction)
        let names = Dictionary(counts.map { ($0.lane.id, $0.lane.name) }) { first, _ in first }
        var depths = counts.map { count in
            QueueDepth(
                kind: count.lane.kind, lane: count.lane.name, ready: count.ready,
                scheduled: count.scheduled, leased: count.leased, dead: 0,
                oldestDueSeconds: count.oldestDue?.secondsAsDouble)
        }
        for dead in try JobQueue.deadByLane(in: transaction) {
            let lane = names[dead.lane] ?? "\(dead.lane)"
            if let index = depths.firstIndex(where: { $0.kind == dead.kind && $0.lane == lane }) {
                depths[index].dead += dead.count
            } else {
                depths.append(
                    QueueDepth(
                        kind: dead.kind, lane: lane, ready: 0, scheduled: 0, leased: 0,
                        dead: dead.count))
            }
        }
        return depths.filter { $0.ready + $0.scheduled + $0.leased + $0.dead > 0 }
    }

    /// What providers took in the last five minutes, by provider; one that took nothing is left
    /// out.
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
            with w as (
              select store_id, count(*) as n from sineta.jobs
              where store_id <> '00000000-0000-0000-0000-000000000000' group by store_id),
            e as (
              select store_id, count(*) as n from sineta.deliveries
              where day >= (now() at time zone 'UTC')::date - 1
                and finished_at > now() - interval '5 minutes' group by store_id)
            select s.id, s.name, coalesce(w.n, 0), coalesce(e.n, 0),
              coalesce(e.n::float8 / nullif((select sum(n) from e), 0), 0),
              case when w.n is null and e.n is null then 0
                else 1::float8 / (select count(*) from (
                  select store_id from w union select store_id from e) busy) end
            from sineta.stores s left join w on w.store_id = s.id left join e on e.store_id = s.id
            order by coalesce(w.n, 0) desc, coalesce(e.n, 0) desc, s.id limit $1
            """, .int(limit)
        ).map { row throws(PostgresError) in
            StoreLoad(
                store: try row.id(0), name: try row.text(1), waiting: try row.int(2),
                endedLastFiveMinutes: try row.int(3), share: try row.double(4),
                fairShare: try row.double(5))
        }
    }
}
