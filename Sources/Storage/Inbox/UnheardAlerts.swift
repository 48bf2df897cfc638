public import Postgres
public import Runtime
public import Values

/// Alerts that somebody was to hear and nobody did: none of their pushes is left, and a provider
/// took none. Runs as `.worker`; a retry of a dead letter takes the mark away again, and so does
/// the next chunk of a large audience.
public enum UnheardAlerts {
    /// Marks those of the alerts of which this is so now, and gives their kinds.
    ///
    /// Asked after the ends of their pushes are committed: two batches that end the last pushes of
    /// one alert at once do not see each other, while the later of two that ask sees both.
    ///
    /// Whoever adds pushes to an alert holds its row until they are committed. Those that look
    /// silent are therefore held, and asked about once more by a statement of its own, which sees
    /// what was waited for. All others are not touched.
    public static func mark(
        _ alerts: [(store: StoreID, id: AlertID)], pool: PostgresPool, deadline: Deadline
    ) async throws(PostgresError) -> [String] {
        guard !alerts.isEmpty else { return [] }
        let seen = try await pool.query(
            PostgresQuery(
                silentSQL, .ids(alerts.lazy.map(\.store)), .ids(alerts.lazy.map(\.id))),
            as: .worker, deadline: deadline)
        let likely = try keys(seen)
        guard !likely.isEmpty else { return [] }
        return try await pool.transaction(
            as: DatabaseRole.worker.rawValue, deadline: deadline
        ) { transaction in
            let stores = PostgresValue.ids(likely.lazy.map(\.store))
            let ids = PostgresValue.ids(likely.lazy.map(\.id))
            let silent = try keys(
                transaction.pipeline([
                    PostgresQuery(holdSQL, stores, ids), PostgresQuery(silentSQL, stores, ids),
                ])[1])
            guard !silent.isEmpty else { return [] }
            return try transaction.query(
                markSQL, .ids(silent.lazy.map(\.store)), .ids(silent.lazy.map(\.id))
            ).map { try $0.text(0) }
        }
    }

    /// The same for all pushes that ended within the last two hours: those that a killed worker did
    /// not get to, and those that the queue itself buried.
    ///
    /// - Parameter page: so many alerts are in hand at a time.
    public static func sweep(
        page: Int = 2000, pool: PostgresPool, deadline: Deadline
    ) async throws(PostgresError) -> [String] {
        var kinds: [String] = []
        var last = (store: StoreID(.zero), id: AlertID(.zero))
        while true {
            let rows = try await pool.query(
                PostgresQuery(recentSQL, .id(last.store), .id(last.id), .int(page)),
                as: .worker, deadline: deadline)
            let alerts = try keys(rows)
            for start in stride(from: 0, to: alerts.count, by: batch) {
                let some = Array(alerts[start..<min(start + batch, alerts.count)])
                kinds += try await mark(some, pool: pool, deadline: deadline)
            }
            guard alerts.count >= page, let end = alerts.last else { return kinds }
            last = end
        }
    }

    /// So many alerts are held at a time.
    private static let batch = 200

    private static func keys(
        _ rows: PostgresRows
    ) throws(PostgresError) -> [(store: StoreID, id: AlertID)] {
        var keys: [(store: StoreID, id: AlertID)] = []
        keys.reserveCapacity(rows.count)
        for row in rows { keys.append((try row.id(0), try row.id(1))) }
        return keys
    }

    /// Alerts are looked up one by one (decision record 15). Their pushes are looked for by the ids
    /// in the decisions, since the queue has no index by alert.
    static let silentSQL: StaticSQL = """
        select a.store_id, a.id
        from (select distinct store_id, id from unnest($1::uuid[], $2::uuid[]) o (store_id, id)) o
        cross join lateral (
          select a.store_id, a.id from sineta.alerts a
          where a.store_id = o.store_id and a.id = o.id and not a.is_unheard
            and case when exists (
              select from sineta.deliveries d
              where d.day = (a.raised_at at time zone 'UTC')::date and d.store_id = a.store_id
                and d.alert_id = a.id and d.outcome = 'accepted') then false
            else not exists (
              select from sineta.jobs j where j.store_id = a.store_id and j.id = any (array(
                select (p #>> '{}')::uuid
                from jsonb_path_query(a.decisions, '$[*].devices[*].push_id') p
                union all
                select (q #>> '{}')::uuid from sineta.alert_parts c
                cross join jsonb_path_query(c.decisions, '$[*].devices[*].push_id') q
                where a.parts > 0 and c.store_id = a.store_id and c.alert_id = a.id))) end
          limit 1) a
        """

    /// In the order of their keys, so that two that hold do not wait for each other.
    static let holdSQL: StaticSQL = """
        select from (
          select distinct store_id, id from unnest($1::uuid[], $2::uuid[]) o (store_id, id)
          order by store_id, id) o
        cross join lateral (
          select from sineta.alerts a where a.store_id = o.store_id and a.id = o.id
          limit 1 for update) a
        """

    /// Takes the keys as arrays (an id is of one store alone): a join could read all alerts.
    static let markSQL: StaticSQL = """
        update sineta.alerts set is_unheard = true
        where store_id = any ($1) and id = any ($2) returning kind
        """

    /// The next alerts in the order of their keys of which a push ended otherwise than well and
    /// none did well. Of the ends only those of alerts of the last week are looked at, not all
    /// partitions: what ends later is a letter that was retried, and its push is past its time.
    static let recentSQL: StaticSQL = """
        select o.store_id, o.id from (
          select store_id, alert_id as id from sineta.deliveries
          where day between (now() at time zone 'UTC')::date - 7
              and (now() at time zone 'UTC')::date + 1
            and finished_at > now() - interval '2 hours' and outcome <> 'accepted'
          union
          select store_id, subject from sineta.jobs_dead
          where buried_at > now() - interval '2 hours' and kind = 'push.deliver'
          order by 1, 2 offset 0) o
        cross join lateral (
          select from sineta.alerts a
          where a.store_id = o.store_id and a.id = o.id and not a.is_unheard
            and case when exists (
              select from sineta.deliveries d
              where d.day = (a.raised_at at time zone 'UTC')::date and d.store_id = a.store_id
                and d.alert_id = a.id and d.outcome = 'accepted') then false else true end
          limit 1) a
        where (o.store_id, o.id) > ($1, $2)
        order by o.store_id, o.id limit $3
        """
}
