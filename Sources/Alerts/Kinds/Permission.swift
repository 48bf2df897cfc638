/// What a member of a store may do there. An open list: kinds to come bring their own.
public struct Permission: RawRepresentable, Hashable, Sendable {
    /// As the API and the database spell it.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The permissions of today; a kind's declaration names the one that it asks for.
    public static let ordersRead = Permission(rawValue: "orders.read")
    public static let inventoryRead = Permission(rawValue: "inventory.read")
    public static let conversationsRead = Permission(rawValue: "conversations.read")
    public static let alertsRead = Permission(rawValue: "alerts.read")
    public static let membersManage = Permission(rawValue: "members.manage")
    public static let storeManage = Permission(rawValue: "store.manage")

    /// Every permission that can be granted, in the order in which they are listed.
    public static let all = [
        ordersRead, inventoryRead, conversationsRead, alertsRead, membersManage, storeManage,
    ]

    /// What new staff may do unless somebody says otherwise.
    public static let staffDefaults = [ordersRead, inventoryRead, conversationsRead]
}

/// What somebody is in a store.
public enum Role: String, Sendable, CaseIterable {
    case owner
    /// Everything but to change owners.
    case admin
    /// What they were granted.
    case staff

    /// The permissions that hold for this role, given what was granted by name.
    public func permissions(granted: some Sequence<Permission>) -> Set<Permission> {
        switch self {
        case .owner, .admin: Set(Permission.all)
        case .staff: Set(granted)
        }
    }
}
