import Alerts
import JSON
import Postgres
import Storage
import Values

/// What a store lays down for its members' preferences.
enum PolicyEndpoints {
    static let endpoints = [show, save]

    private static let access = Access(.member(with: .storeManage))

    private static let show = Endpoint(
        .get, "/v1/stores/{store}/push-policy",
        "The kinds that are on by default, and those that cannot be switched off.",
        access: access, responses: [Response(200, "The policy.", PolicyShapes.policy)],
        isVersioned: true
    ) { call, _, transaction in
        PolicyAnswer(try PreferenceStore.policy(call.path.id("store"), in: transaction)).answer
    }

    /// A list that is left out stays; a default of null is the product's own.
    private static let save = Endpoint(
        .put, "/v1/stores/{store}/push-policy",
        "Replaces the policy. What was required before keeps who required it, and since when.",
        access: access,
        body: .object(
            .optional("default_events", .nullable(events)), .optional("required_events", events)),
        responses: [Response(200, "The policy as it is now.", PolicyShapes.policy)],
        isVersioned: true
    ) { call, caller, transaction in
        let (user, membership) = try call.own(caller)
        let before = try PreferenceStore.policy(
            membership.store, forUpdate: true, in: transaction)
        try call.requireMatch(PolicyAnswer(before).tag)
        let policy = try wanted(call.body, before.policy)
        _ = try PreferenceStore.savePolicy(membership.store, policy, by: user, in: transaction)
        try Audit.write(
            membership.store, actor: user.description, act: "policy.changed",
            subject: membership.store.description, before: json(before.policy),
            after: json(policy), in: transaction)
        return PolicyAnswer(try PreferenceStore.policy(membership.store, in: transaction)).answer
    }

    private static let events = Shape.list(
        of: .oneOf(open: AlertKind.listed.map(\.name)), count: 0...200)

    private static func wanted(
        _ body: Body, _ before: PushPolicy
    ) throws(Problem) -> PushPolicy {
        var policy = before
        switch try body.change("default_events") {
        case .unchanged: break
        case .none: policy.defaults = nil
        case .value(let value): policy.defaults = Set(value.array?.compactMap(\.text) ?? [])
        }
        if let required = try body.optionalTexts("required_events") {
            policy.required = Set(required)
        }
        return policy
    }

    private static func json(_ policy: PushPolicy) -> JSONValue {
        [
            "default_events": policy.defaults.map { .array($0.sorted().map { .text($0) }) }
                ?? .null,
            "required_events": .array(policy.required.sorted().map { .text($0) }),
        ]
    }
}
