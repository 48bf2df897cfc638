import Alerts
import JSON
import Postgres
import Storage
import Values

/// What members do not want to hear about, for a while or for ever.
enum MuteEndpoints {
    static let endpoints: [Endpoint] = PreferenceTarget.allCases.flatMap { target in
        [show(target), set(target), remove(target)]
    }

    private static let mute = Shape.named(
        "Mute",
        .object([
            .required("subject", .oneOf(MuteSubject.all.map(\.rawValue))),
            .required("id", .text), .required("until", .nullable(.time)),
        ]))

    private static func show(_ target: PreferenceTarget) -> Endpoint {
        Endpoint(
            .get, path(target), "Whether \(target.whose) devices are silent about a subject.",
            access: target.access, responses: [Response(200, "It is muted.", mute)]
        ) { call, caller, transaction in
            let (user, membership) = try target.find(
                call, caller, toChange: false, in: transaction)
            let (subject, id) = try subject(call)
            let found = try Mutes.find(membership.store, user, subject, id, in: transaction)
            guard let found else { throw Problem(.notFound) }
            return answer(found)
        }
    }

    private static func set(_ target: PreferenceTarget) -> Endpoint {
        Endpoint(
            .put, path(target), "Mutes a subject until a moment, or for ever.",
            access: target.access,
            body: BodyShape(.object([.optional("until", .nullable(.time))]), isOptional: true),
            responses: [Response(200, "It is muted.", mute)]
        ) { call, caller, transaction in
            let (user, membership) = try target.find(
                call, caller, toChange: true, in: transaction)
            let (subject, id) = try subject(call)
            let until = try call.body.optionalTime("until")
            if let until, until <= call.now {
                throw Problem.invalid("/until", .range, "must be in the future")
            }
            let mute = Mute(subject: subject, id: id, until: until)
            try Mutes.set(membership.store, user, mute, in: transaction)
            try target.audit(
                "member.muted", of: user, in: membership.store, by: caller, transaction)
            return answer(mute)
        }
    }

    private static func remove(_ target: PreferenceTarget) -> Endpoint {
        Endpoint(
            .delete, path(target), "Lets a subject be heard again.", access: target.access,
            responses: [Response(204, "It is heard again.")]
        ) { call, caller, transaction in
            let (user, membership) = try target.find(
                call, caller, toChange: true, in: transaction)
            let (subject, id) = try subject(call)
            guard try Mutes.remove(membership.store, user, subject, id, in: transaction) else {
                throw Problem(.notFound)
            }
            try target.audit(
                "member.unmuted", of: user, in: membership.store, by: caller, transaction)
            return .noContent
        }
    }

    private static func path(_ target: PreferenceTarget) -> PathPattern {
        switch target {
        case .me: "/v1/stores/{store}/me/mutes/{subject:conversation|variant|customer}/{id}"
        case .member:
            "/v1/stores/{store}/members/{user}/mutes/{subject:conversation|variant|customer}/{id}"
        }
    }

    /// Ids of these subjects are UUIDs, which events and mutes keep in one case. Subjects to come
    /// whose ids are others get a path of their own.
    private static func subject(_ call: Call) throws(Problem) -> (MuteSubject, String) {
        (
            MuteSubject(rawValue: try call.path.text("subject")),
            try call.path.uuid("id").description
        )
    }

    private static func answer(_ mute: Mute) -> Answer {
        .json(200) { writer in
            writer.beginObject()
            writer.member("subject", mute.subject.rawValue)
            writer.member("id", mute.id)
            writer.member("until", orNull: mute.until?.rfc3339)
            writer.endObject()
        }
    }
}
