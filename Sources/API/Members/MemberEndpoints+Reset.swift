import Alerts
import Postgres
import Storage
import Values

extension MemberEndpoints {
    /// Whoever holds the link becomes that person in every store of theirs, so the caller must be
    /// one who may touch them in each.
    static func reset(_ tokens: Tokens) -> Endpoint {
        Endpoint(
            .post, "/v1/stores/{store}/members/{user}/reset",
            "Makes a link by which a member sets a new password; a new invite for one who never came.",
            access: access, responses: [Response(201, "The link, once.", MemberShapes.linked)],
            isIdempotent: true
        ) { call, caller, transaction in
            let (_, membership) = try call.own(caller)
            let member = try touched(call, membership, in: transaction)
            let link = NewLink(tokens)
            let answer = try Members.reset(
                membership.store, member.user,
                managed: try managed(caller, member.user, in: transaction), hash: link.hash,
                resetLife: LinkTerms.resetLife, inviteLife: LinkTerms.inviteLife, in: transaction)
            switch answer {
            case .notFound: throw Problem(.notFound)
            case .forbidden:
                throw Problem(.forbidden, "The link would open more than the caller manages.")
            case .link(_, let until):
                try Audit.write(
                    membership.store, actor: caller.id.description, act: "member.reset",
                    subject: member.user.description, in: transaction)
                return .linked(member.user, member.name, member.email, link, until: until)
            }
        }
    }

    /// The stores in which the caller may touch the person, as each of the two stands there.
    private static func managed(
        _ caller: Caller, _ user: UserID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> [StoreID] {
        guard let person = caller.person else { return [] }
        return try Members.roles(of: user, in: person.memberships.map(\.store), transaction)
            .filter { store, role in
                person.membership(in: store).map { MemberAuthority(own: $0).mayTouch(role) }
                    ?? false
            }.map(\.store)
    }
}
