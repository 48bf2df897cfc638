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
    /// The removals of the last 30 days, newest first.
    public static func removed(
        of user: UserID, page: Page<DeviceID>, in transaction: PostgresTransaction
    ) throws(PostgresError) -> [RemovedDevice] {
        try transaction.query(
            """
            select id, platform, device_name, removed_at, reason, provider_reason
            from sineta.removed_devices
            where user_id = $1 and removed_at > now() - interval '30 days'
              and ($2::timestamptz is null or (removed_at, id) < ($2, $3))
            order by removed_at desc, id desc limit $4
            """,
            .id(user), .optionalTimestamp(page.after?.time), .optionalUUID(page.after?.id.uuid),
            .int(page.limit)
        ).map { row throws(PostgresError) in
            RemovedDevice(
                id: try row.id(0), platform: try row.text(1), deviceName: try row.optionalText(2),
                removedAt: try row.timestamp(3), reason: try row.text(4),
                providerReason: try row.optionalText(5))
        }
    }
}
