import Alerts
import Storage

/// What somebody who manages members may do to whom. Nobody makes another, or themselves, more than
/// they are.
struct MemberAuthority: Sendable {
    let own: Caller.Membership

    /// Owners are touched by owners alone, admins by owners and admins.
    func mayTouch(_ role: Role) -> Bool {
        switch (own.role, role) {
        case (.owner, _), (.admin, .admin), (.admin, .staff): true
        case (.staff, .staff): own.permissions.contains(.membersManage)
        case (.admin, .owner), (.staff, .owner), (.staff, .admin): false
        }
    }

    /// Grants are of what one has.
    func mayGrant(_ permissions: some Sequence<Permission>) -> Bool {
        permissions.allSatisfy(own.permissions.contains)
    }

    /// - Throws: 403 when a member with these must not come out of the caller's hand.
    func check(making role: Role, granting added: some Sequence<Permission>) throws(Problem) {
        guard mayTouch(role), mayGrant(added) else { throw Problem(.forbidden) }
    }

    /// - Throws: 403 when the caller must leave the member alone.
    func check(touching member: MemberLine) throws(Problem) {
        guard mayTouch(member.role) else { throw Problem(.forbidden) }
    }
}
