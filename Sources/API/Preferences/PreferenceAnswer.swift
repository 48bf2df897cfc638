import Alerts
import JSON
import Postgres
import Storage
import Values

/// A member's preferences as they are answered, with the version that they are of.
struct PreferenceAnswer {
    let stored: StoredPreferences
    let policy: StoredPolicy
    private let membership: Caller.Membership

    init(
        of membership: Caller.Membership, user: UserID, forUpdate: Bool = false,
        in transaction: PostgresTransaction
    ) throws(PostgresError) {
        self.membership = membership
        stored = try PreferenceStore.preferences(
            membership.store, user, forUpdate: forUpdate, in: transaction)
        policy = try PreferenceStore.policy(membership.store, in: transaction)
    }

    /// Of the bytes that are answered, so that a change of policy or permissions counts too.
    var tag: String { EntityTag.of(bytes) }

    var answer: Answer {
        let bytes = bytes
        return Answer(status: 200, content: .json(bytes)).with("ETag", EntityTag.of(bytes))
    }

    private var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("store_id", membership.store.description)
        writer.member("is_enabled", stored.preferences.isEnabled)
        writer.key("enabled_events")
        write(
            stored.preferences.enabled(with: membership.permissions, under: policy.policy),
            to: &writer)
        writer.key("available_events")
        write(Preferences.available(with: membership.permissions), to: &writer)
        writer.key("required")
        writer.beginArray()
        for lock in policy.locks { PolicyShapes.write(lock, to: &writer) }
        writer.endArray()
        writer.key("minimums")
        writer.beginObject()
        for (currency, amount) in stored.preferences.minimums.sorted(by: { $0.key < $1.key }) {
            writer.member(currency, amount.text)
        }
        writer.endObject()
        writer.member("is_default", !stored.preferences.isSaved)
        writer.endObject()
        return writer.bytes
    }

    private func write(_ kinds: [AlertKind], to writer: inout JSONWriter) {
        writer.beginArray()
        for kind in kinds { writer.string(kind.name) }
        writer.endArray()
    }
}
