public import Alerts
public import Postgres
public import Values

/// Who could be alerted of anything in a store now. Runs as `.api`.
public enum CoverageFacts {
    /// The store's policy and members with their preferences and devices.
    public static func load(
        _ store: StoreID, in transaction: PostgresTransaction,
        isConfigured: (DeviceRoute) -> Bool
    ) throws(PostgresError) -> AudienceFacts? {
        let rows = try transaction.pipeline([
            StoreQuery.query([store]),
            PostgresQuery(
                """
                select m.user_id, m.role, m.permissions, p.is_enabled, p.kinds_on, p.kinds_off,
                  p.minimums, p.saved_at is not null
                from sineta.members m left join sineta.push_preferences p
                  on p.store_id = m.store_id and p.user_id = m.user_id
                where m.store_id = $1 and m.joined_at is not null order by m.user_id
                """, .id(store)),
            PostgresQuery(
                """
                select user_id, device_id, transport, environment, app_id, is_alive
                from sineta.member_devices($1)
                """, .id(store)),
        ])
        guard let row = try StoreQuery.read(rows[0])[store] else { return nil }
        var devices: [UserID: [DeviceFacts]] = [:]
        for row in rows[2] {
            if let device = try MemberQuery.device(row, at: 1, isConfigured) {
                devices[try row.id(0), default: []].append(device.facts)
            }
        }
        let members = try rows[1].map { row throws(PostgresError) in
            let user: UserID = try row.id(0)
            return MemberFacts(
                user: user, permissions: try MemberQuery.permissions(row, at: 1),
                preferences: try MemberQuery.preferences(row, at: 3), devices: devices[user] ?? [])
        }
        return AudienceFacts(at: row.now, policy: row.policy, members: members)
    }

    /// The names of people who are members of the store.
    public static func names(
        _ store: StoreID, of users: [UserID], in transaction: PostgresTransaction
    ) throws(PostgresError) -> [UserID: String] {
        var names: [UserID: String] = [:]
        let rows = try transaction.query(
            """
            select u.id, u.name from sineta.users u
            where u.id = any ($2) and exists (select from sineta.members m
              where m.store_id = $1 and m.user_id = u.id)
            """, .id(store), .ids(users))
        for row in rows { names[try row.id(0)] = try row.text(1) }
        return names
    }
}
