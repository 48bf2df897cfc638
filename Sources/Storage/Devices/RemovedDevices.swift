public import Postgres
public import Values

/// A device that is gone.
public struct RemovedDevice: Sendable {
    /// The id that it had.
    public let id: DeviceID
    /// `ios` or `android`.
    public let platform: String
    public let deviceName: String?
    public let removedAt: Timestamp
    /// A word of `RemovalReason`, as stored.
    public let reason: String
    /// The provider's word, where it was the provider who rejected the token.
    public let providerReason: String?
}

extension Devices {
    /// The caller's removals of the last 30 days, newest first; `removals` reads what it gives.
    public static func removed(_ page: Page<DeviceID>) -> PostgresQuery {
        PostgresQuery(
            """
            select id, platform, device_name, removed_at, reason, provider_reason
            from sineta.removed_devices
            where user_id = (select nullif(current_setting('app.user', true), '')::uuid)
              and removed_at > now() - interval '30 days'
              and ($1::timestamptz is null or (removed_at, id) < ($1, $2))
            order by removed_at desc, id desc limit $3
            """,
            .optionalTimestamp(page.after?.time), .optionalUUID(page.after?.id.uuid),
            .int(page.limit))
    }

    public static func removals(_ rows: PostgresRows) throws(PostgresError) -> [RemovedDevice] {
        try rows.map { row throws(PostgresError) in
            RemovedDevice(
                id: try row.id(0), platform: try row.text(1), deviceName: try row.optionalText(2),
                removedAt: try row.timestamp(3), reason: try row.text(4),
                providerReason: try row.optionalText(5))
        }
    }
}
