import Alerts
import JSON
import Postgres
import Storage
import Values

/// Who belongs to a store.
enum MemberEndpoints {
    static func endpoints(_ services: Services) -> [Endpoint] {
        [list, add(services.tokens), change, remove, reset(services.tokens)]
    }

    static let access = Access(.member(with: .membersManage))

    private static let list = Endpoint(
        .get, "/v1/stores/{store}/members", "The members, in the order in which they were added.",
        access: access, isPaged: true,
        responses: [.page(of: MemberShapes.member, "Members; not yet joined: invited.")]
    ) { call, _, transaction in
        let page = try call.page
        let rows = try Members.list(
            call.path.id("store"), page: page.of(UserSubject.self), in: transaction)
        return page.answer(rows, cursor: { Cursor(time: $0.createdAt, id: $0.user.uuid) }) {
            MemberShapes.write($0, to: &$1)
        }
    }

    private static func add(_ tokens: Tokens) -> Endpoint {
        Endpoint(
            .post, "/v1/stores/{store}/members",
            "Adds somebody: a known address at once, another by an invite that is shown once.",
            access: access,
            body: .object(
                .required("email", MailAddress.shape),
                .optional("name", .nullable(GivenText.personName.shape)),
                .required("role", MemberShapes.role),
                .optional("permissions", .nullable(Permissions.shape))),
            responses: [Response(201, "Added.", MemberShapes.linked)], codes: [.conflict],
            isIdempotent: true
        ) { call, caller, transaction in
            let (_, membership) = try call.own(caller)
            let member = try newMember(call.body)
            try MemberAuthority(own: membership).check(
                making: member.role, granting: member.role == .staff ? member.permissions : [])
            let link = NewLink(tokens)
            let added = try Members.add(
                membership.store, member, newUser: UserID(.v7()), invite: link.invite,
                in: transaction)
            guard let added else {
                throw Problem(
                    .conflict,
                    "They are a member already: change their role or permissions with PATCH.")
            }
            try Audit.write(
                membership.store, actor: caller.id.description, act: "member.added",
                subject: added.user.description,
                after: json(member.role, member.permissions), in: transaction)
            return .linked(
                added.user, added.name, added.email, link, until: added.inviteExpiresAt)
        }
    }

    private static func newMember(_ body: Body) throws(Problem) -> NewMember {
        guard let role = Role(rawValue: try body.text("role")) else {
            throw .invalid("/role", .unknownValue, "is no role")
        }
        return NewMember(
            email: try body.text("email").lowercased(), name: try body.optionalText("name"),
            role: role,
            permissions: try Permissions.read(body, "permissions") ?? Permission.staffDefaults)
    }

    private static let change = Endpoint(
        .patch, "/v1/stores/{store}/members/{user}", "Changes role or permissions.",
        access: access,
        body: .object(
            .optional("role", MemberShapes.role), .optional("permissions", Permissions.shape)),
        responses: [Response(200, "The member as they are now.", MemberShapes.member)],
        codes: [.lastOwner]
    ) { call, caller, transaction in
        let (_, membership) = try call.own(caller)
        let before = try touched(call, membership, in: transaction)
        let role =
            try call.body.optionalText("role").flatMap { Role(rawValue: $0) }
            ?? before.role
        let permissions = try Permissions.read(call.body, "permissions")
        let added = Set(permissions ?? before.permissions).subtracting(before.permissions)
        try MemberAuthority(own: membership).check(making: role, granting: added)
        let answer = try Members.change(
            membership.store, before.user, role: role, permissions: permissions, in: transaction)
        guard try done(answer),
            let after = try Members.find(membership.store, before.user, in: transaction)
        else { throw Problem(.notFound) }
        try Audit.write(
            membership.store, actor: caller.id.description, act: "member.changed",
            subject: before.user.description, before: json(before.role, before.permissions),
            after: json(after.role, after.permissions), in: transaction)
        return .json(200) { MemberShapes.write(after, to: &$0) }
    }

    private static let remove = Endpoint(
        .delete, "/v1/stores/{store}/members/{user}",
        "Removes a member with their preferences and mutes for the store.", access: access,
        responses: [Response(204, "They are none any more.")], codes: [.lastOwner]
    ) { call, caller, transaction in
        let (_, membership) = try call.own(caller)
        let before = try touched(call, membership, in: transaction)
        guard try done(Members.remove(membership.store, before.user, in: transaction)) else {
            throw Problem(.notFound)
        }
        try Audit.write(
            membership.store, actor: caller.id.description, act: "member.removed",
            subject: before.user.description, before: json(before.role, before.permissions),
            in: transaction)
        return .noContent
    }

    /// The member of the path, held until the transaction ends, whom the caller may touch.
    static func touched(
        _ call: Call, _ membership: Caller.Membership, in transaction: PostgresTransaction
    ) throws -> MemberLine {
        let held = try Members.hold(membership.store, call.path.id("user"), in: transaction)
        guard let member = held else { throw Problem(.notFound) }
        try MemberAuthority(own: membership).check(touching: member)
        return member
    }

    private static func done(_ answer: Members.Answer) throws(Problem) -> Bool {
        switch answer {
        case .done: true
        case .notFound: false
        case .lastOwner: throw Problem(.lastOwner)
        }
    }

    private static func json(_ role: Role, _ permissions: [Permission]) -> JSONValue {
        ["role": .text(role.rawValue), "permissions": Permissions.json(permissions)]
    }
}
