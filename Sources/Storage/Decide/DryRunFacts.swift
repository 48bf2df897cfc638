public import Alerts
public import Postgres
public import Values

/// What would decide and fill the pushes of an event, if it were posted now. Runs as `.api`: what
/// the worker reads of people and devices comes here through a door, without tokens.
public struct DryRunFacts: Sendable {
    public let store: StoreFacts
    public let known: KnownSubject
    public let audience: AudienceFacts
    /// The devices of all members.
    public let devices: [DeviceID: Device]
    /// The language tags of the people who set one.
    public let userLocales: [UserID: String]
    /// By language.
    public let templates: [String: StoredWords]

    /// A device without its token.
    public struct Device: Sendable {
        public let route: DeviceRoute
        /// `ios` or `android`.
        public let platform: String
        /// The device's own language tag.
        public let locale: String?
        /// Eight hexadecimal digits of the token's hash.
        public let tokenMark: String
    }

    /// - Parameter kind: the kind of alert, for the store's own words.
    /// - Returns: nil when there is no such store.
    public static func load(
        _ request: DecideRequest, kind: AlertKind, in transaction: PostgresTransaction,
        isConfigured: (DeviceRoute) -> Bool
    ) throws(PostgresError) -> DryRunFacts? {
        guard
            var audience = try CoverageFacts.load(
                request.store, in: transaction, isConfigured: isConfigured)
        else { return nil }
        let rows = try transaction.pipeline([
            StoreQuery.query([request.store]), SubjectQuery.query([request]),
            MuteQuery.query([request]),
            PostgresQuery(devicesSQL, .id(request.store)),
            PostgresQuery(localesSQL, .id(request.store)),
            PostgresQuery(
                """
                select language, title, body from sineta.templates
                where store_id = $1 and kind = $2
                """, .id(request.store), .text(kind.name)),
        ])
        guard let store = try StoreQuery.read(rows[0])[request.store] else { return nil }
        let subject = try request.subject.flatMap { reference throws(PostgresError) in
            try SubjectQuery.read(rows[1])[
                StoredSubject(store: request.store, subject: reference)]
        }
        let mutes = try MuteQuery.read(rows[2])
            .of(request, customer: request.customerID ?? subject?.known.customerID)
        for index in audience.members.indices {
            audience.members[index].preferences.mutes = mutes[audience.members[index].user] ?? []
        }
        audience.assignee = subject?.assignee
        return DryRunFacts(
            store: store.facts, known: subject?.known ?? KnownSubject(), audience: audience,
            devices: try devices(rows[3]), userLocales: try locales(rows[4]),
            templates: try templates(rows[5]))
    }

    private static let devicesSQL: StaticSQL = """
        select device_id, transport, environment, app_id, platform, locale, token_mark
        from sineta.member_devices($1)
        """

    private static let localesSQL: StaticSQL = """
        select u.id, u.locale from sineta.members m join sineta.users u on u.id = m.user_id
        where m.store_id = $1 and u.locale is not null
        """

    private static func devices(
        _ rows: PostgresRows
    ) throws(PostgresError) -> [DeviceID: Device] {
        var devices: [DeviceID: Device] = [:]
        for row in rows {
            devices[try row.id(0)] = Device(
                route: DeviceRoute(
                    transport: Transport(rawValue: try row.text(1)),
                    environment: try row.text(2), app: try row.text(3)),
                platform: try row.text(4), locale: try row.optionalText(5),
                tokenMark: try row.text(6))
        }
        return devices
    }

    private static func locales(_ rows: PostgresRows) throws(PostgresError) -> [UserID: String] {
        var locales: [UserID: String] = [:]
        for row in rows { locales[try row.id(0)] = try row.text(1) }
        return locales
    }

    private static func templates(
        _ rows: PostgresRows
    ) throws(PostgresError) -> [String: StoredWords] {
        var templates: [String: StoredWords] = [:]
        for row in rows {
            templates[try row.text(0)] = StoredWords(
                title: try row.text(1), body: try row.text(2))
        }
        return templates
    }
}
