public import Postgres
public import Runtime
public import Values

/// Alerts that somebody was to hear and nobody did: none of their pushes is left, and a provider took
/// none. Runs as `.worker`; a retry of a dead letter takes the mark away again.
public enum UnheardAlerts {
    /// Marks those of the alerts of which this is so now, and gives their kinds.
    ///
    /// Asked after the ends of their pushes are committed: two batches that end the last pushes of
    /// one alert at once do not see each other, while the later of two that ask sees both.
    public static func mark(
        _ alerts: [(store: StoreID, id: AlertID)], pool: PostgresPool, deadline: Deadline
    ) async throws(PostgresError) -> [String] {
        guard !alerts.isEmpty else { return [] }
        let query = PostgresQuery(
            markSQL, .ids(alerts.lazy.map(\.store)), .ids(alerts.lazy.map(\.id)))
        var kinds: [String] = []
        for row in try await pool.query(query, as: .worker, deadline: deadline) {
            kinds.append(try row.text(0))
        }
        return kinds
    }

    /// The same for all pushes that ended within the last two hours: those that a killed worker did
    /// not get to, and those that the queue itself buried.
    public static func sweep(
        pool: PostgresPool, deadline: Deadline
    ) async throws(PostgresError) -> [String] {
        let rows = try await pool.query(
            PostgresQuery(recentSQL), as: .worker, deadline: deadline)
        var alerts: [(store: StoreID, id: AlertID)] = []
        for row in rows { alerts.append((try row.id(0), try row.id(1))) }
        var kinds: [String] = []
        for start in stride(from: 0, to: alerts.count, by: batch) {
            let some = Array(alerts[start..<min(start + batch, alerts.count)])
            kinds += try await mark(some, pool: pool, deadline: deadline)
        }
        return kinds
    }

    /// So many alerts are held at a time.
    private static let batch = 200

    /// Alerts are looked up one by one, in the order of their keys. Their pushes are looked for by
    /// the ids in the decisions, since the queue has no index by alert. The update takes its keys as
    /// arrays (an id is of one store alone): a join could read all alerts.
    static let markSQL: StaticSQL = """
        with asked as (
          select distinct store_id, id from unnest($1::uuid[], $2::uuid[]) o (store_id, id)
          order by store_id, id),
        held as materialized (
          select a.* from asked o cross join lateral (
            select store_id, id, raised_at, parts, decisions from sineta.alerts a
            where a.store_id = o.store_id and a.id = o.id and not a.is_unheard
            limit 1 for update) a),
        silent as materialized (
          select h.store_id, h.id from held h
          where case when exists (
            select from sineta.deliveries d
            where d.day = (h.raised_at at time zone 'UTC')::date and d.store_id = h.store_id
              and d.alert_id = h.id and d.outcome = 'accepted') then false
          else not exists (
            select from sineta.jobs j where j.store_id = h.store_id and j.id = any (array(
              select (p #>> '{}')::uuid
              from jsonb_path_query(h.decisions, '$[*].devices[*].push_id') p
              union all
              select (q #>> '{}')::uuid from sineta.alert_parts c
              cross join jsonb_path_query(c.decisions, '$[*].devices[*].push_id') q
              where h.parts > 0 and c.store_id = h.store_id and c.alert_id = h.id))) end)
        update sineta.alerts set is_unheard = true
        where store_id = any (array(select distinct store_id from silent))
          and id = any (array(select id from silent)) returning kind
        """

    private static let recentSQL: StaticSQL = """
        select a.store_id, a.id from sineta.alerts a
        join (
          select store_id, alert_id as id from sineta.deliveries
          where finished_at > now() - interval '2 hours' and outcome <> 'accepted'
          union
          select store_id, subject from sineta.jobs_dead
          where buried_at > now() - interval '2 hours' and kind = 'push.deliver') o
          on a.store_id = o.store_id and a.id = o.id
        where not a.is_unheard
        """
}
