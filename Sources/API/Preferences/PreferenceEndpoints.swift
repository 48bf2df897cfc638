import Alerts
import JSON
import Postgres
import Storage
import Values

/// What a member wants to hear of a store.
enum PreferenceEndpoints {
    static func endpoints(_ services: Services) -> [Endpoint] { [show, save] }

    static let preferences = Shape.named(
        "PushPreferences",
        .object([
            .required("store_id", .uuid), .required("is_enabled", .bool),
            .required("enabled_events", .list(of: .text)),
            .required("available_events", .list(of: .text)),
            .required(
                "required",
                .list(
                    of: .object([
                        .required("kind", .text),
                        .required(
                            "locked_by",
                            .object([.required("id", .uuid), .required("name", .nullable(.text))])),
                        .required("locked_at", .time),
                    ]))),
            .required(
                "minimums",
                .map(keys: TextRule(length: 3...3), values: .text, count: 0...1000)),
            .required("is_default", .bool),
        ]))

    static let change = BodyShape.object(
        .required("is_enabled", .bool),
        .required("enabled_events", .list(of: .text(1...100), count: 0...200)))

    private static let show = Endpoint(
        .get, "/v1/stores/{store}/me/push-preferences", "What the caller wants to hear.",
        access: Access(.member), responses: [Response(200, "Preferences.", preferences)],
        isVersioned: true
    ) { call, caller, transaction in
        let (person, membership) = try own(call, caller)
        return try PreferenceAnswer(of: membership, user: person, in: transaction).answer
    }

    private static let save = Endpoint(
        .put, "/v1/stores/{store}/me/push-preferences", "Replaces the switch and the events.",
        access: Access(.member), body: change,
        responses: [Response(200, "The preferences as they are now.", preferences)],
        codes: [.lockedByPolicy, .eventNotAvailable], isVersioned: true
    ) { call, caller, transaction in
        let (person, membership) = try own(call, caller)
        return try replace(call, membership, user: person, in: transaction)
    }

    /// The caller's own membership in the store of the path.
    static func own(
        _ call: Call, _ caller: Caller
    ) throws(Problem) -> (UserID, Caller.Membership) {
        guard let person = caller.person else { throw Problem(.sessionRequired) }
        guard let membership = person.membership(in: try call.path.id("store")) else {
            throw Problem(.notFound)
        }
        return (person.id, membership)
    }

    /// Saves what the body says for a member, if it is of the version that `If-Match` names.
    static func replace(
        _ call: Call, _ membership: Caller.Membership, user: UserID,
        in transaction: PostgresTransaction
    ) throws -> Answer {
        let before = try PreferenceAnswer(
            of: membership, user: user, forUpdate: true, in: transaction)
        try call.requireMatch(before.tag)
        let isEnabled = try call.body.bool("is_enabled")
        let events = try call.body.texts("enabled_events")
        let after: Preferences
        do throws(PreferenceFaults) {
            after = try before.stored.preferences.replacing(
                isEnabled: isEnabled, events: events, permissions: membership.permissions,
                policy: before.policy.policy)
        } catch {
            throw problem(error)
        }
        _ = try PreferenceStore.save(membership.store, user, after, in: transaction)
        return try PreferenceAnswer(of: membership, user: user, in: transaction).answer
    }

    /// The first fault that has a code of its own names the problem; each is in `errors`.
    private static func problem(_ faults: PreferenceFaults) -> Problem {
        let code: ErrorCode =
            faults.faults.contains { $0.code == .lockedByPolicy }
            ? .lockedByPolicy
            : faults.faults.contains { $0.code == .eventNotAvailable }
                ? .eventNotAvailable : .validationFailed
        return Problem(
            code,
            errors: faults.faults.map { fault in
                FieldFault(
                    pointer: fault.pointer,
                    code: fault.code == .unknownValue ? .unknownValue : .notAllowed,
                    message: fault.message)
            })
    }
}
