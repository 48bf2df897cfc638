/// What a member of a store may do there. An open list: kinds to come bring their own.
public struct Permission: RawRepresentable, Hashable, Sendable {
    /// As the API and the database spell it.
    public let rawValue: String

    /// Takes any text: whether there is such a permission is not asked.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The permissions of today; a kind's declaration names the one that it asks for.
    public static let ordersRead = Permission(rawValue: "orders.read")
    /// To read stock and hear that it runs low.
    public static let inventoryRead = Permission(rawValue: "inventory.read")
    /// To read conversations and hear of them; the badge counts unread ones for those who hold it.
    public static let conversationsRead = Permission(rawValue: "conversations.read")
    /// To read everybody's alerts and decisions, where others read their own, and to ask what an
    /// event would raise.
    public static let alertsRead = Permission(rawValue: "alerts.read")
    /// To see and change members, and to see who would hear each kind. Staff touch staff alone, and
    /// grant what they hold.
    public static let membersManage = Permission(rawValue: "members.manage")
    /// To change the store itself, its policy and texts, and its API tokens, and to read its audit
    /// log.
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
    /// Everything; none but an owner makes or changes one.
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
