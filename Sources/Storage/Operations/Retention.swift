public import Postgres
public import Runtime
import Values

/// How long things are kept; once-per-order marks stay for ever.
public struct RetentionPeriods: Sendable {
    /// Events, and the messages of conversations.
    public var eventDays = 90
    /// Alerts and the read marks of the inbox.
    public var alertDays = 90
    /// How pushes ended; whole partitions of a day go. At least 7.
    public var deliveryDays = 30

    /// The defaults of the settings `RETENTION_…_DAYS`.
    public init() {}
}

/// Removes what is past its time, in batches that hold no lock for long. Runs as `.worker`.
public enum Retention {
    /// Partitions for the coming week. Answers how many were made.
    public static func makePartitions(
        pool: PostgresPool, deadline: Deadline
    ) async throws(PostgresError) -> Int {
        try await pool.query(
            PostgresQuery("select sineta.keep_deliveries(7)"), as: .worker, deadline: deadline)[0]
            .int(0)
    }

    /// Whether there is a partition for tomorrow: an alarm when there is none.
    public static func hasTomorrow(
        pool: PostgresPool, deadline: Deadline
    ) async throws(PostgresError) -> Bool {
        try await pool.query(
            PostgresQuery(
                """
                select to_regclass('sineta.deliveries_'
                  || to_char(now() at time zone 'UTC' + interval '1 day', 'YYYYMMDD')) is not null
                """), as: .worker, deadline: deadline)[0].bool(0)
    }

    /// Removes everything that is past its time. Answers how many rows went, by table; a table
    /// whose lock was not to be had goes on the next time.
    public static func sweep(
        _ periods: RetentionPeriods, pool: PostgresPool, deadline: Deadline
    ) async throws(PostgresError) -> [String: Int] {
        var removed: [String: Int] = [:]
        for step in steps(periods) {
            var count = 0
            repeat {
                count = try await pool.query(
                    step.query, as: .worker, deadline: deadline
                ).affected
                removed[step.table, default: 0] += count
            } while count >= step.batch
        }
        removed["deliveries"] = try await pool.query(
            PostgresQuery(
                "select sineta.drop_deliveries((now() at time zone 'UTC')::date - $1)",
                .int32(Int32(clamping: periods.deliveryDays))), as: .worker, deadline: deadline)[0]
            .int(0)
        return removed
    }

    private struct Step {
        let table: String
        /// How many rows the statement removes at most: as many may leave more behind.
        var batch = 5000
        let query: PostgresQuery
    }

    private static func steps(_ periods: RetentionPeriods) -> [Step] {
        let events = PostgresValue.interval(.seconds(86_400 * periods.eventDays))
        let alerts = PostgresValue.interval(.seconds(86_400 * periods.alertDays))
        return [
            Step(
                table: "events",
                query: PostgresQuery(
                    """
                    delete from sineta.events where ctid = any (array(
                      select ctid from sineta.events where received_at < now() - $1::interval
                      order by received_at limit 5000))
                    """, events)),
            Step(
                table: "messages",
                query: PostgresQuery(
                    """
                    delete from sineta.messages where ctid = any (array(
                      select ctid from sineta.messages where at < now() - $1::interval
                      order by at limit 5000))
                    """, events)),
            Step(
                table: "alerts",
                query: PostgresQuery(
                    """
                    with gone as (
                      delete from sineta.alerts where ctid = any (array(
                        select ctid from sineta.alerts where raised_at < now() - $1::interval
                        order by raised_at limit 5000))
                      returning store_id, id, parts),
                    parts as (
                      delete from sineta.alert_parts p using gone g
                      where g.parts > 0 and p.store_id = g.store_id and p.alert_id = g.id)
                    select from gone
                    """, alerts)),
            Step(
                table: "inbox_marks",
                query: PostgresQuery(
                    """
                    delete from sineta.inbox_marks where ctid = any (array(
                      select ctid from sineta.inbox_marks where read_at < now() - $1::interval
                      limit 5000))
                    """, alerts)),
        ] + accounts
    }

    private static let accounts = [
        Step(
            table: "access_tokens",
            query: PostgresQuery(
                """
                delete from sineta.access_tokens where ctid = any (array(
                  select ctid from sineta.access_tokens where expires_at < now() - interval '1 day'
                  limit 5000))
                """)),
        // A session that merely ran out keeps its devices, and with them its row.
        Step(
            table: "sessions", batch: 500,
            query: PostgresQuery(
                """
                with gone as (
                  delete from sineta.sessions where ctid = any (array(
                    select s.ctid from sineta.sessions s
                    where s.expires_at < now() - interval '90 days' and not exists (
                      select from sineta.devices d where d.session_id = s.id)
                    limit 500))
                  returning id),
                tokens as (
                  delete from sineta.refresh_tokens r using gone g where r.session_id = g.id)
                select from gone
                """)),
        Step(
            table: "links",
            query: PostgresQuery(
                """
                delete from sineta.links where ctid = any (array(
                  select ctid from sineta.links where expires_at < now() - interval '30 days'
                  limit 5000))
                """)),
        Step(
            table: "login_counters",
            query: PostgresQuery(
                """
                delete from sineta.login_counters where ctid = any (array(
                  select ctid from sineta.login_counters where last_at < now() - interval '1 day'
                  limit 5000))
                """)),
        Step(
            table: "login_networks",
            query: PostgresQuery(
                """
                delete from sineta.login_networks where ctid = any (array(
                  select ctid from sineta.login_networks where last_at < now() - interval '90 days'
                  limit 5000))
                """)),
        Step(
            table: "idempotency_keys",
            query: PostgresQuery(
                """
                delete from sineta.idempotency_keys where ctid = any (array(
                  select ctid from sineta.idempotency_keys
                  where created_at < now() - interval '24 hours' limit 5000))
                """)),
        Step(
            table: "removed_devices",
            query: PostgresQuery(
                """
                delete from sineta.removed_devices where ctid = any (array(
                  select ctid from sineta.removed_devices
                  where removed_at < now() - interval '30 days' limit 5000))
                """)),
        Step(
            table: "subject_settings",
            query: PostgresQuery(
                """
                delete from sineta.subject_settings where ctid = any (array(
                  select ctid from sineta.subject_settings
                  where muted_until < now() - interval '1 day' limit 5000))
                """)),
    ]
}
