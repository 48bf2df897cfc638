public import Alerts
import JSON
public import Postgres
public import Runtime
public import Values

/// One push that is about to be sent, by its job.
public struct PushRequest: Sendable {
    public let push: PushID
    public let store: StoreID
    public let alert: AlertID
    public let device: DeviceID
    /// Whose device it was when it was decided.
    public let user: UserID

    public init(push: PushID, store: StoreID, alert: AlertID, device: DeviceID, user: UserID) {
        self.push = push
        self.store = store
        self.alert = alert
        self.device = device
        self.user = user
    }
}

/// Everything that sending one push needs, as it was within the last second.
public struct PushMaterial: Sendable {
    public let alert: Alert
    /// What is asked again before sending.
    public let facts: PushFacts
    public let store: StoreFacts
    /// The store's own words for the kind, by language.
    public let templates: [String: StoredWords]
    /// Nil when the device is gone or is somebody else's.
    public let device: TargetDevice?
    /// The person's language tag, for a device without one.
    public let userLocale: String?
    /// Open or pending conversations with unread messages that are theirs or nobody's; nil for a
    /// person who may not read conversations.
    public let badge: Int?
}

/// A title and a body that replace the built-in ones.
public struct StoredWords: Sendable, Equatable {
    public let title: String
    public let body: String

    public init(title: String, body: String) {
        self.title = title
        self.body = body
    }
}

/// The device of a push.
public struct TargetDevice: Sendable {
    public let id: DeviceID
    public let route: DeviceRoute
    /// `ios` or `android`.
    public let platform: String
    public let token: Secret<String>
    /// The device's own language tag.
    public let locale: String?
    /// A provider's word about an older registration does not concern this one.
    public let lastRegisteredAt: Timestamp
}

extension PushMaterial {
    /// For any number of pushes of any number of stores in one statement; the badge is counted once
    /// per store, not per push.
    ///
    /// Runs as `.worker`.
    ///
    /// - Returns: by push; a push whose alert or store is gone is not in it.
    public static func load(
        _ requests: [PushRequest], pool: PostgresPool, deadline: Deadline,
        isConfigured: (DeviceRoute) -> Bool
    ) async throws(PostgresError) -> [PushID: PushMaterial] {
        guard !requests.isEmpty else { return [:] }
        let rows = try await pool.query(query(requests), as: .worker, deadline: deadline)
        var policies: [StoreID: PushPolicy] = [:]
        var material: [PushID: PushMaterial] = [:]
        material.reserveCapacity(rows.count)
        for row in rows {
            guard let one = try read(row, &policies, isConfigured) else { continue }
            material[try row.id(0)] = one
        }
        return material
    }

    static func query(_ requests: [PushRequest]) -> PostgresQuery {
        PostgresQuery(
            sql, .ids(requests.lazy.map(\.push)), .ids(requests.lazy.map(\.store)),
            .ids(requests.lazy.map(\.alert)), .ids(requests.lazy.map(\.device)),
            .ids(requests.lazy.map(\.user)))
    }

    private static func read(
        _ row: PostgresRow, _ policies: inout [StoreID: PushPolicy],
        _ isConfigured: (DeviceRoute) -> Bool
    ) throws(PostgresError) -> PushMaterial? {
        let store: StoreID = try row.id(1)
        guard let kind = AlertKind.named(try row.text(3)) else { return nil }
        let policy = try policy(of: store, row, at: 9, &policies)
        let target = try target(row, at: 18)
        var member: MemberFacts?
        if try !row.isNull(11) {
            member = MemberFacts(
                user: try row.id(28), permissions: try MemberQuery.permissions(row, at: 11),
                preferences: try preferences(row))
            if let target {
                member?.devices = [
                    DeviceFacts(
                        id: target.id, transport: target.route.transport,
                        hasLiveSession: try row.optionalBool(26) ?? false,
                        isProviderConfigured: isConfigured(target.route))
                ]
            }
        }
        let readsConversations =
            member?.permissions.contains(.conversationsRead) ?? false
        return PushMaterial(
            alert: Alert(
                id: try row.id(2), store: store, kind: kind, occurredAt: try row.timestamp(4),
                subject: AlertSubject(json: try row.value(5)),
                content: AlertContent(json: try row.value(6))),
            facts: PushFacts(
                at: try row.timestamp(29), policy: policy,
                assignee: try SubjectQuery.assignee(row, at: 30), member: member,
                device: try row.id(34)),
            store: StoreFacts(name: try row.text(7), locale: try row.text(8)),
            templates: try templates(row, at: 33), device: target,
            userLocale: try row.optionalText(27),
            badge: readsConversations ? try row.int(35) : nil)
    }

    /// Read once per store and not once per push.
    private static func policy(
        of store: StoreID, _ row: PostgresRow, at column: Int,
        _ policies: inout [StoreID: PushPolicy]
    ) throws(PostgresError) -> PushPolicy {
        if let policy = policies[store] { return policy }
        let policy = PushPolicy(
            defaults: try row.optionalTexts(column).map { Set($0) },
            required: Set(try row.texts(column + 1)))
        policies[store] = policy
        return policy
    }

    private static func preferences(_ row: PostgresRow) throws(PostgresError) -> Preferences {
        var preferences = try MemberQuery.preferences(row, at: 13)
        for mute in try row.optionalTexts(36) ?? [] {
            let parts = mute.split(separator: " ", maxSplits: 1).map(String.init)
            if parts.count == 2 {
                // Those that have run out do not come along.
                preferences.mutes.append(
                    Mute(subject: MuteSubject(rawValue: parts[0]), id: parts[1], until: nil))
            }
        }
        return preferences
    }

    private static func target(
        _ row: PostgresRow, at column: Int
    ) throws(PostgresError) -> TargetDevice? {
        guard let id: DeviceID = try row.optionalID(column) else { return nil }
        return TargetDevice(
            id: id,
            route: DeviceRoute(
                transport: Transport(rawValue: try row.text(column + 2)),
                environment: try row.text(column + 3), app: try row.text(column + 4)),
            platform: try row.text(column + 1), token: Secret(try row.text(column + 5)),
            locale: try row.optionalText(column + 6),
            lastRegisteredAt: try row.timestamp(column + 7))
    }

    static func templates(
        _ row: PostgresRow, at column: Int
    ) throws(PostgresError) -> [String: StoredWords] {
        guard let value = try row.optionalValue(column) else { return [:] }
        guard let object = value.object else { throw .decoding("templates are no object") }
        var templates: [String: StoredWords] = [:]
        for member in object {
            templates[member.key] = StoredWords(
                title: member.value["title"]?.text ?? "", body: member.value["body"]?.text ?? "")
        }
        return templates
    }
}
