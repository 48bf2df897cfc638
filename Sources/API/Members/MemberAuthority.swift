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

    private static let ranks =
        "Owners are made and changed by owners alone, admins by owners and admins."

    /// - Throws: 403 when a member with these must not come out of the caller's hand: grants are of
    ///   what one has.
    func check(making role: Role, granting added: some Sequence<Permission>) throws(Problem) {
        guard mayTouch(role) else { throw Problem(.forbidden, Self.ranks) }
        let lacked = Permission.all.filter(Set(added).subtracting(own.permissions).contains)
        guard lacked.isEmpty else {
            throw Problem(
                .forbidden,
                "Who grants permissions must have them; the caller lacks "
                    + "\(lacked.map(\.rawValue).joined(separator: ", ")).")
        }
    }

    /// - Throws: 403 when the caller must leave the member alone.
    func check(touching member: MemberLine) throws(Problem) {
        guard mayTouch(member.role) else { throw Problem(.forbidden, Self.ranks) }
    }
}
