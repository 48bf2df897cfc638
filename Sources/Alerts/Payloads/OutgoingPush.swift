public import Values

/// One push as it is about to be written for a provider.
public struct OutgoingPush: Sendable {
    /// The `apns-id` of every attempt.
    public var id: PushID
    /// Chooses the envelope, the data keys and what replaces what.
    public var kind: AlertKind
    /// Nil for a test, which opens nothing.
    public var alert: AlertID?
    /// Nil for a test.
    public var store: StoreID?
    /// The subtitle.
    public var storeName: String?
    /// Its ids travel as data keys, as far as the kind names them.
    public var subject: AlertSubject
    /// In the reader's language; shortened when the push is written, where a limit is near.
    public var text: AlertText
    /// Unread conversations; nil for somebody who may not read them.
    public var badge: Int?
    /// The event's time, from which the provider's expiry counts.
    public var occurredAt: Timestamp

    public init(
        id: PushID, kind: AlertKind, alert: AlertID?, store: StoreID?, storeName: String?,
        subject: AlertSubject, text: AlertText, badge: Int?, occurredAt: Timestamp
    ) {
        self.id = id
        self.kind = kind
        self.alert = alert
        self.store = store
        self.storeName = storeName
        self.subject = subject
        self.text = text
        self.badge = badge
        self.occurredAt = occurredAt
    }

    /// A test of one device, which lives an hour from now.
    public static func test(id: PushID, text: AlertText, now: Timestamp) -> OutgoingPush {
        OutgoingPush(
            id: id, kind: .test, alert: nil, store: nil, storeName: nil, subject: AlertSubject(),
            text: text, badge: nil, occurredAt: now)
    }

    /// When providers must stop trying.
    public var wireExpiry: Timestamp { occurredAt + kind.envelope.wireLife }

    /// What replaces what: `apns-collapse-id`, `collapse_key` and `tag` alike.
    public var collapseKey: String? {
        kind.collapse.flatMap { key($0) }.map(CollapseKey.fitted)
    }

    /// What stands together on an iPhone.
    public var threadID: String? { kind.thread.flatMap { key($0) } }

    /// The data keys that apply, in their order. Nothing else of an event ever travels.
    var data: [(key: String, value: String)] {
        var data = [(key: "kind", value: kind.name)]
        if let alert { data.append(("alert_id", alert.description)) }
        if let store { data.append(("store_id", store.description)) }
        for key in kind.subjectKeys {
            if let id = subject[key] { data.append((key, id)) }
        }
        return data
    }

    /// The texts as they may be cut.
    var parts: PushParts {
        let subtitle = kind.namesStore ? storeName.flatMap(Text.visible) : nil
        return PushParts(title: text.title, subtitle: subtitle, body: text.body)
    }

    private func key(_ rule: AlertKind.KeyRule) -> String? {
        let id = rule.subject == "store_id" ? store?.description : subject[rule.subject]
        return id.map { rule.prefix + $0 }
    }
}

/// Keys that providers bound to 64 bytes.
enum CollapseKey {
    static let limit = 64

    /// The key itself, or its beginning and a hash of the whole, so that two long keys that begin
    /// alike stay two.
    static func fitted(_ key: String) -> String {
        guard key.utf8.count > limit else { return key }
        let hash = String(Checksum(unmarked: key.utf8).value, radix: 16)
        let suffix = "-" + String(repeating: "0", count: 16 - hash.utf8.count) + hash
        var prefix = ""
        for scalar in key.unicodeScalars {
            guard prefix.utf8.count + suffix.utf8.count + scalar.utf8.count <= limit else { break }
            prefix.unicodeScalars.append(scalar)
        }
        return prefix + suffix
    }
}
