public import Postgres
public import Values

/// A session in its owner's list.
public struct SessionLine: Sendable {
    public let id: SessionID
    /// What the login said of itself; nil when it said nothing.
    public let deviceName: String?
    public let createdAt: Timestamp
    /// When a request last came by it, to the minute.
    public let lastUsedAt: Timestamp
    /// When it ends unless it is refreshed before.
    public let expiresAt: Timestamp
    /// The devices that registered by it, the one registered last first.
    public let devices: [DeviceLine]
}

extension Sessions {
    /// The caller's live sessions, newest first.
    public static func list(
        of user: UserID, page: Page<SessionID>, in transaction: PostgresTransaction
    ) throws(PostgresError) -> [SessionLine] {
        let rows = try transaction.query(
            """
            select id, device_name, created_at, last_used_at, expires_at from sineta.sessions
            where user_id = $1 and ended_at is null and expires_at > now()
              and ($2::timestamptz is null or (created_at, id) < ($2, $3))
            order by created_at desc, id desc limit $4
            """,
            .id(user), .optionalTimestamp(page.after?.time), .optionalUUID(page.after?.id.uuid),
            .int(page.limit))
        return try lines(rows, of: user, in: transaction)
    }

    /// One of the caller's live sessions.
    public static func find(
        _ session: SessionID, of user: UserID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> SessionLine? {
        let rows = try transaction.query(
            """
            select id, device_name, created_at, last_used_at, expires_at from sineta.sessions
            where user_id = $1 and id = $2 and ended_at is null and expires_at > now()
            """, .id(user), .id(session))
        return try lines(rows, of: user, in: transaction).first
    }

    private static func lines(
        _ rows: PostgresRows, of user: UserID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> [SessionLine] {
        guard !rows.isEmpty else { return [] }
        var devices: [SessionID: [DeviceLine]] = [:]
        let ids = try rows.map { row throws(PostgresError) in try row.uuid(0) }
        for device in try Devices.list(of: user, sessions: ids.map { ID($0) }, in: transaction) {
            devices[device.session, default: []].append(device)
        }
        return try rows.map { row throws(PostgresError) in
            let id: SessionID = try row.id(0)
            return SessionLine(
                id: id, deviceName: try row.optionalText(1), createdAt: try row.timestamp(2),
                lastUsedAt: try row.timestamp(3), expiresAt: try row.timestamp(4),
                devices: devices[id] ?? [])
        }
    }
}
