import Alerts
import Postgres
import Storage
import Values

/// Whose settings a path is about: the caller's own (`…/me/…`), or a member's whom they manage
/// (`…/members/{user}/…`). Each endpoint of settings is declared once for both.
enum PreferenceTarget: CaseIterable {
    case me
    case member

    var access: Access {
        switch self {
        case .me: Access(.member)
        case .member: MemberEndpoints.access
        }
    }

    /// What an endpoint is called: "the caller's", "a member's".
    var whose: String {
        switch self {
        case .me: "the caller's"
        case .member: "a member's"
        }
    }

    /// The member, of whom a change must be within the caller's authority.
    func find(
        _ call: Call, _ caller: Caller, toChange: Bool, in transaction: PostgresTransaction
    ) throws -> (user: UserID, membership: Caller.Membership) {
        let (own, membership) = try call.own(caller)
        guard self == .member else { return (own, membership) }
        let found = try Members.find(membership.store, call.path.id("user"), in: transaction)
        guard let member = found else { throw Problem(.notFound) }
        if toChange { try MemberAuthority(own: membership).check(touching: member) }
        let theirs = Caller.Membership(
            store: membership.store, role: member.role,
            permissions: member.role.permissions(granted: member.permissions))
        return (member.user, theirs)
    }

    /// Changes by somebody else are privileged acts; by oneself they are not.
    func audit(
        _ act: String, of user: UserID, in store: StoreID, by caller: Caller,
        _ transaction: PostgresTransaction
    ) throws(PostgresError) {
        guard self == .member else { return }
        try Audit.write(
            store, actor: caller.id.description, act: act, subject: user.description,
            in: transaction)
    }
}
