import Alerts
import JSON
import Postgres
import Values

/// The members of stores with their preferences and devices: one row per device.
enum MemberQuery {
    static func query(_ audiences: [AudienceKey], chunk: Int) -> PostgresQuery {
        PostgresQuery(
            sql, .ids(audiences.lazy.map(\.store)), .uuids(audiences.map(\.after?.uuid)),
            .int(chunk))
    }

    /// Each is looked up by its key (decision record 15).
    static let sql: StaticSQL = """
        select x.store_id, x.after, m.user_id, m.role, m.permissions,
          p.is_enabled, p.kinds_on, p.kinds_off, p.minimums, p.saved_at is not null,
          d.id, d.transport, d.environment, d.app_id,
          s.ended_at is null and s.expires_at > now()
        from unnest($1::uuid[], $2::uuid[]) x (store_id, after)
        join lateral (
          select * from sineta.members m
          where m.store_id = x.store_id and m.joined_at is not null
            and m.user_id > coalesce(x.after, '00000000-0000-0000-0000-000000000000')
          order by m.user_id limit $3) m on true
        left join lateral (
          select is_enabled, kinds_on, kinds_off, minimums, saved_at
          from sineta.push_preferences p
          where p.store_id = m.store_id and p.user_id = m.user_id limit 1) p on true
        left join lateral (
          select id, transport, environment, app_id, registered_at, session_id
          from sineta.devices d where d.user_id = m.user_id offset 0) d on true
        left join lateral (
          select ended_at, expires_at from sineta.sessions s
          where s.id = d.session_id and s.user_id = m.user_id limit 1) s on true
        order by x.store_id, x.after, m.user_id, d.registered_at, d.id
        """

    static func read(
        _ rows: PostgresRows, chunk: Int, _ isConfigured: (DeviceRoute) -> Bool
    ) throws(PostgresError) -> [AudienceKey: Audience] {
        var audiences: [AudienceKey: Audience] = [:]
        var key: AudienceKey?
        var audience = Audience()
        for row in rows {
            let rowKey = AudienceKey(store: try row.id(0), after: try row.optionalID(1))
            if rowKey != key {
                if let key { audiences[key] = audience }
                key = rowKey
                audience = Audience()
            }
            let user: UserID = try row.id(2)
            if audience.members.last?.user != user {
                audience.members.append(
                    MemberFacts(
                        user: user, permissions: try permissions(row, at: 3),
                        preferences: try preferences(row, at: 5)))
                if audience.members.count == chunk { audience.next = user }
            }
            if let device = try device(row, at: 10, isConfigured) {
                audience.members[audience.members.count - 1].devices.append(device.facts)
                audience.routes[device.facts.id] = device.route
            }
        }
        if let key { audiences[key] = audience }
        return audiences
    }

    /// From `role`, `permissions`.
    static func permissions(
        _ row: PostgresRow, at column: Int
    ) throws(PostgresError) -> Set<Permission> {
        guard let role = Role(rawValue: try row.text(column)) else {
            throw .decoding("there is no such role")
        }
        return role.permissions(
            granted: try row.texts(column + 1).map { Permission(rawValue: $0) })
    }

    /// From `is_enabled`, `kinds_on`, `kinds_off`, `minimums`, saved; all null for a member who
    /// never set anything.
    static func preferences(
        _ row: PostgresRow, at column: Int
    ) throws(PostgresError) -> Preferences {
        guard let isEnabled = try row.optionalBool(column) else { return Preferences() }
        var preferences = Preferences(isSaved: try row.bool(column + 4), isEnabled: isEnabled)
        for kind in try row.texts(column + 1) { preferences.kinds[kind] = true }
        for kind in try row.texts(column + 2) { preferences.kinds[kind] = false }
        preferences.minimums = try minimums(row, at: column + 3)
        return preferences
    }

    static func minimums(
        _ row: PostgresRow, at column: Int
    ) throws(PostgresError) -> [String: Amount] {
        // Most members have none, and every row of the hot statement comes by here.
        if try row.json(column) == Array("{}".utf8) { return [:] }
        var minimums: [String: Amount] = [:]
        guard let object = try row.value(column).object else {
            throw .decoding("minimums are no object")
        }
        for member in object { minimums[member.key] = member.value.text.flatMap { Amount($0) } }
        return minimums
    }

    /// From `id`, `transport`, `environment`, `app_id`, session alive; null without a device.
    static func device(
        _ row: PostgresRow, at column: Int, _ isConfigured: (DeviceRoute) -> Bool
    ) throws(PostgresError) -> (facts: DeviceFacts, route: DeviceRoute)? {
        guard let id: DeviceID = try row.optionalID(column) else { return nil }
        let route = DeviceRoute(
            transport: Transport(rawValue: try row.text(column + 1)),
            environment: try row.text(column + 2), app: try row.text(column + 3))
        let facts = DeviceFacts(
            id: id, transport: route.transport,
            hasLiveSession: try row.optionalBool(column + 4) ?? false,
            isProviderConfigured: isConfigured(route))
        return (facts, route)
    }
}
