/// The kinds of today. An event raises the kind of its own name, but for `inventory.low_stock`,
/// which `inventory.stock_changed` raises when stock falls to the store's threshold.
extension AlertKind {
    /// This and the next ones ask for `orders.read`; a minimum amount or a muted customer holds them
    /// back.
    public static let ordersCreated = order("created")
    public static let ordersPaid = order("paid")
    public static let ordersCancelled = order("cancelled")

    /// Off until a member or the store switches it on; goes in the bulk lanes. A later one of the
    /// same variant replaces it on the phone.
    public static let inventoryLowStock: AlertKind = {
        var kind = AlertKind("inventory.low_stock")
        kind.permission = .inventoryRead
        kind.filters = [.mute(.variant, subject: "variant_id")]
        kind.isOnByDefault = false
        kind.urgency = .bulk
        kind.subjectKeys = ["product_id", "variant_id"]
        kind.collapse = KeyRule("stock-", "variant_id")
        kind.thread = KeyRule("store-", "store_id")
        kind.channel = "inventory"
        kind.arguments = [.product.or(TextKey.unseenProduct.name), .variant, .quantity, .location]
        return kind
    }()

    /// This and the next ones ask for `conversations.read`; a muted conversation or customer holds
    /// them back. All but the last go to the assignee, or to everybody while there is none.
    public static let conversationsStarted = conversation("started", .message)
    public static let conversationsMessageReceived = conversation("message_received", .message)
    /// Has a text of its own for where the event carried no message.
    public static let conversationsHandedOver = conversation(
        "handed_over", .message.or("conversations.handed_over.no_message"))

    /// To the new assignee alone, and not when they took it themselves.
    public static let conversationsAssigned: AlertKind = {
        var kind = conversation("assigned")
        kind.assignment = .newAssignee
        kind.excludesActor = true
        return kind
    }()

    /// A push to one device that its owner asked for: no alert, no store, nothing to open.
    public static let test: AlertKind = {
        var kind = AlertKind("test")
        kind.audience = .oneDevice
        kind.isListed = false
        kind.isInInbox = false
        kind.namesStore = false
        return kind
    }()

    /// Every kind that members switch on and off, in the order in which they are listed.
    public static let listed: [AlertKind] = [
        ordersCreated, ordersPaid, ordersCancelled, inventoryLowStock, conversationsStarted,
        conversationsMessageReceived, conversationsHandedOver, conversationsAssigned,
    ]

    /// Every kind that has texts.
    public static let worded: [AlertKind] = listed + [test]

    private static let byName = Dictionary(uniqueKeysWithValues: worded.map { ($0.name, $0) })

    /// The kind of a name; nil when there is none.
    public static func named(_ name: String) -> AlertKind? { byName[name] }

    private static func order(_ act: String) -> AlertKind {
        var kind = AlertKind("orders.\(act)")
        kind.permission = .ordersRead
        kind.filters = [.minimumAmount, .mute(.customer, subject: "customer_id")]
        kind.subjectKeys = ["order_id"]
        kind.collapse = KeyRule("order-\(act)-", "order_id")
        kind.thread = KeyRule("store-", "store_id")
        kind.channel = "orders"
        kind.arguments = [.number, .total, .customer]
        return kind
    }

    private static func conversation(
        _ act: String, _ arguments: WordingArgument...
    ) -> AlertKind {
        var kind = AlertKind("conversations.\(act)")
        kind.permission = .conversationsRead
        kind.assignment = .assigneeOrNobody
        kind.filters = [
            .mute(.conversation, subject: "conversation_id"),
            .mute(.customer, subject: "customer_id"),
        ]
        kind.subjectKeys = ["conversation_id"]
        kind.collapse = KeyRule("conv-", "conversation_id")
        kind.thread = KeyRule("conv-", "conversation_id")
        kind.channel = "conversations"
        // A conversation whose customer has no name would have no title else.
        kind.arguments = [.customer.or(TextKey.unseenCustomer.name)] + arguments
        return kind
    }
}
