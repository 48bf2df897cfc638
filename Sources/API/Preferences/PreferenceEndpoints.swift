import Alerts
import JSON
import Postgres
import Storage
import Values

/// What members want to hear of a store.
enum PreferenceEndpoints {
    static let endpoints: [Endpoint] = PreferenceTarget.allCases.flatMap { target in
        [show(target), save(target), saveMinimums(target)]
    }

    static let preferences = Shape.named(
        "PushPreferences",
        .object([
            .required("store_id", .uuid), .required("is_enabled", .bool),
            .required("enabled_events", .list(of: .text)),
            .required("available_events", .list(of: .text)),
            .required("required", .list(of: PolicyShapes.lock)),
            .required(
                "minimums",
                .map(keys: TextRule(length: 3...3), values: .text, count: 0...1000)),
            .required("is_default", .bool),
        ]))

    private static let change = BodyShape.object(
        .required("is_enabled", .bool),
        .required("enabled_events", .list(of: .text(1...100), count: 0...200)))

    private static let minimums = BodyShape(
        .map(
            keys: TextRule(length: 1...100, format: .currency), values: .text(.amount),
            count: 0...200))

    private static func show(_ target: PreferenceTarget) -> Endpoint {
        Endpoint(
            .get, path(target), "What \(target.whose) devices are to hear.", access: target.access,
            responses: [Response(200, "Preferences.", preferences)], isVersioned: true
        ) { call, caller, transaction in
            let (user, membership) = try target.find(
                call, caller, toChange: false, in: transaction)
            return try PreferenceAnswer(of: membership, user: user, in: transaction).answer
        }
    }

    private static func save(_ target: PreferenceTarget) -> Endpoint {
        Endpoint(
            .put, path(target), "Replaces \(target.whose) switch and events.",
            access: target.access, body: change,
            responses: [Response(200, "The preferences as they are now.", preferences)],
            codes: [.lockedByPolicy, .eventNotAvailable], isVersioned: true
        ) { call, caller, transaction in
            let (user, membership) = try target.find(
                call, caller, toChange: true, in: transaction)
            let answer = try replace(call, membership, user: user, in: transaction)
            try target.audit(
                "member.preferences_changed", of: user, in: membership.store, by: caller,
                transaction)
            return answer
        }
    }

    private static func saveMinimums(_ target: PreferenceTarget) -> Endpoint {
        Endpoint(
            .put, minimumsPath(target),
            "Replaces \(target.whose) minimum amounts of orders, by currency.",
            access: target.access, body: minimums,
            responses: [Response(200, "The preferences as they are now.", preferences)],
            isVersioned: true
        ) { call, caller, transaction in
            let (user, membership) = try target.find(
                call, caller, toChange: true, in: transaction)
            let before = try PreferenceAnswer(
                of: membership, user: user, forUpdate: true, in: transaction)
            try call.requireMatch(before.tag)
            let wanted = try Preferences.readMinimums(call.body.value)
            _ = try PreferenceStore.saveMinimums(membership.store, user, wanted, in: transaction)
            try target.audit(
                "member.minimums_changed", of: user, in: membership.store, by: caller,
                transaction)
            return try PreferenceAnswer(of: membership, user: user, in: transaction).answer
        }
    }

    private static func path(_ target: PreferenceTarget) -> PathPattern {
        switch target {
        case .me: "/v1/stores/{store}/me/push-preferences"
        case .member: "/v1/stores/{store}/members/{user}/push-preferences"
        }
    }

    private static func minimumsPath(_ target: PreferenceTarget) -> PathPattern {
        switch target {
        case .me: "/v1/stores/{store}/me/push-preferences/minimums"
        case .member: "/v1/stores/{store}/members/{user}/push-preferences/minimums"
        }
    }

    /// Saves what the body says for a member, if it is of the version that `If-Match` names.
    private static func replace(
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
