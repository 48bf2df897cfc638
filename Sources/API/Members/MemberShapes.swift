import Alerts
import Cryptography
import JSON
import Storage
import Values

/// How members look.
enum MemberShapes {
    static let user = Shape.object([
        .required("id", .uuid), .required("name", .text), .required("email", .text),
    ])

    static let member = Shape.named(
        "Member",
        .object([
            .required("user", user), .required("role", role),
            .required("permissions", .list(of: .text)),
            .required("joined_at", .nullable(.time)),
        ]))

    static let role = Shape.oneOf(Role.allCases.map(\.rawValue))

    /// A link to join, or to set a new password: shown once.
    static let invite = Shape.object([.required("token", .text), .required("expires_at", .time)])

    static let linked = Shape.named(
        "MemberLink",
        .object([.required("user", user), .required("invite", .nullable(invite))]))

    static func write(_ line: MemberLine, to writer: inout JSONWriter) {
        writer.beginObject()
        write(line.user, line.name, line.email, to: &writer)
        writer.member("role", line.role.rawValue)
        writer.key("permissions")
        Permissions.write(line.role.permissions(granted: line.permissions), to: &writer)
        writer.member("joined_at", orNull: line.joinedAt?.rfc3339)
        writer.endObject()
    }

    static func write(
        _ user: UserID, _ name: String, _ email: String, as key: String = "user",
        to writer: inout JSONWriter
    ) {
        writer.key(key)
        writer.beginObject()
        writer.member("id", user.description)
        writer.member("name", name)
        writer.member("email", email)
        writer.endObject()
    }
}

/// A link whose text is shown once.
struct NewLink: Sendable {
    let text = Tokens.link.make()
    let hash: [UInt8]

    init(_ tokens: Tokens) { hash = tokens.hash(text.reveal()) }

    /// The terms of an invite.
    var invite: LinkTerms { LinkTerms(hash: hash, life: LinkTerms.inviteLife) }

    /// Writes `invite`: the link until when it is good, or null when there is none.
    func write(until: Timestamp?, to writer: inout JSONWriter) {
        writer.key("invite")
        guard let until else { return writer.null() }
        writer.beginObject()
        writer.member("token", text.reveal())
        writer.member("expires_at", until.rfc3339)
        writer.endObject()
    }
}

extension Answer {
    /// A person and the link that was made for them.
    static func linked(
        _ user: UserID, _ name: String, _ email: String, _ link: NewLink, until: Timestamp?
    ) -> Answer {
        let answer = Answer.json(201) { writer in
            writer.beginObject()
            MemberShapes.write(user, name, email, to: &writer)
            link.write(until: until, to: &writer)
            writer.endObject()
        }
        return until == nil ? answer : answer.once
    }
}
