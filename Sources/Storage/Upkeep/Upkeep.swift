public import Postgres
public import Runtime
public import Values

/// What has to be made ahead and what has outlived its use. Runs as the role of the pool's sessions,
/// which is `.worker`; any number of workers may do it at once.
public struct Upkeep: Sendable {
    /// Rows of one statement: short locks, and vacuum keeps up.
    static let batch = 5000

    private let pool: PostgresPool

    public init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Makes the partitions of deliveries of the next days. Gives how many were made.
    public func makePartitions(
        daysAhead: Int, deadline: Deadline
    ) async throws(PostgresError) -> Int {
        let rows = try await pool.query(
            "select sineta.keep_deliveries($1)", .int32(Int32(daysAhead)), deadline: deadline)
        return try rows.first?.int(0) ?? 0
    }

    /// Whether a delivery of that day has a partition to go to.
    public func hasPartition(
        of day: CivilDate, deadline: Deadline
    ) async throws(PostgresError) -> Bool {
        let rows = try await pool.query(
            "select to_regclass('sineta.deliveries_' || to_char($1::date, 'YYYYMMDD')) is not null",
            .date(day), deadline: deadline)
        return try rows.first?.bool(0) ?? false
    }

    /// Drops the partitions of days before `day`.
    public func dropPartitions(
        before day: CivilDate, deadline: Deadline
    ) async throws(PostgresError) -> Int {
        let rows = try await pool.query(
            "select sineta.drop_deliveries($1)", .date(day), deadline: deadline)
        return try rows.first?.int(0) ?? 0
    }

    /// Deletes one batch of what was over before `time`. Fewer than `Upkeep.batch` means that there
    /// is no more.
    public func delete(
        _ kind: Outlived, before time: Timestamp, deadline: Deadline
    ) async throws(PostgresError) -> Int {
        try await pool.query(kind.sql, .timestamp(time), .int(Self.batch), deadline: deadline)
            .affected
    }

    /// Deletes all of it, batch by batch.
    public func deleteAll(
        _ kind: Outlived, before time: Timestamp
    ) async throws(PostgresError) -> Int {
        var total = 0
        while true {
            let count = try await delete(kind, before: time, deadline: .after(.seconds(30)))
            total += count
            if count < Self.batch { return total }
        }
    }
}

/// What is deleted by age.
public enum Outlived: String, Sendable, CaseIterable {
    /// By receipt: with them goes the memory of the callers' ids.
    case events
    /// By receipt: with them their parts.
    case alerts
    case alertParts
    case inboxMarks
    case messages
    case idempotencyKeys
    case accessTokens
    case refreshTokens
    case links
    case loginCounters
    case loginNetworks
    case removedDevices
    case endedMutes

    var sql: StaticSQL {
        switch self {
        case .events:
            """
            delete from sineta.events where ctid = any (array(
              select ctid from sineta.events where received_at < $1 order by received_at limit $2))
            """
        case .alerts:
            """
            delete from sineta.alerts where ctid = any (array(
              select ctid from sineta.alerts where raised_at < $1 order by raised_at limit $2))
            """
        case .alertParts:
            // The id of an alert begins with the time of its receipt.
            """
            delete from sineta.alert_parts p where ctid = any (array(
              select p.ctid from sineta.alert_parts p where p.alert_id < (
                  lpad(to_hex((extract(epoch from $1::timestamptz) * 1000)::bigint), 12, '0')
                  || '00000000000000000000')::uuid
              limit $2))
            """
        case .inboxMarks:
            """
            delete from sineta.inbox_marks where ctid = any (array(
              select ctid from sineta.inbox_marks where read_at < $1 order by read_at limit $2))
            """
        case .messages:
            """
            delete from sineta.messages where ctid = any (array(
              select ctid from sineta.messages where at < $1 order by at limit $2))
            """
        case .idempotencyKeys:
            """
            delete from sineta.idempotency_keys where ctid = any (array(
              select ctid from sineta.idempotency_keys where created_at < $1
              order by created_at limit $2))
            """
        case .accessTokens:
            """
            delete from sineta.access_tokens where ctid = any (array(
              select ctid from sineta.access_tokens where expires_at < $1
              order by expires_at limit $2))
            """
        case .refreshTokens:
            // As long as its session is there a spent token must be known again.
            """
            delete from sineta.refresh_tokens t where ctid = any (array(
              select t.ctid from sineta.sessions s
              join sineta.refresh_tokens t on t.session_id = s.id
              where s.expires_at < $1 limit $2))
            """
        case .links:
            """
            delete from sineta.links where ctid = any (array(
              select ctid from sineta.links where expires_at < $1 order by expires_at limit $2))
            """
        case .loginCounters:
            """
            delete from sineta.login_counters where ctid = any (array(
              select ctid from sineta.login_counters where last_at < $1 order by last_at limit $2))
            """
        case .loginNetworks:
            """
            delete from sineta.login_networks where ctid = any (array(
              select ctid from sineta.login_networks where last_at < $1 order by last_at limit $2))
            """
        case .removedDevices:
            """
            delete from sineta.removed_devices where ctid = any (array(
              select ctid from sineta.removed_devices where removed_at < $1
              order by removed_at limit $2))
            """
        case .endedMutes:
            """
            delete from sineta.subject_settings where ctid = any (array(
              select ctid from sineta.subject_settings where muted_until < $1 limit $2))
            """
        }
    }
}
