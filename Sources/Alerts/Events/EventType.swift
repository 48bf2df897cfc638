/// One type of event, declared once: the reader, the OpenAPI schema and the table that
/// `sineta.emit` walks all come from here. Two types are equal when their names are.
public struct EventType: Sendable {
    /// As it stands in `type`.
    public let name: String
    /// The fields of `data`.
    public let fields: [EventField]
    /// The kind that it may raise; nil: it only changes what the platform knows.
    public let alert: AlertKind?
    /// What the event is about.
    public let subject: Subject

    /// Which of the platform's things; the table in which it is kept.
    public enum Subject: String, Sendable {
        case order
        /// A variant at a location.
        case stock
        case conversation
    }
}

extension EventType: Hashable {
    public static func == (left: EventType, right: EventType) -> Bool { left.name == right.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension EventType: CustomStringConvertible {
    public var description: String { name }
}

extension EventType {
    /// The types of today; their fields are declared beside them and documented at `/openapi.json`.
    /// Those that raise do so only within the life of their alert. This one raises once per order.
    public static let ordersCreated = EventType(
        name: "orders.created", fields: order, alert: .ordersCreated, subject: .order)
    /// Raises once per order, however often payment is confirmed.
    public static let ordersPaid = EventType(
        name: "orders.paid", fields: order, alert: .ordersPaid, subject: .order)
    /// Raises once per order. Beyond the fields of the others it may carry a reason.
    public static let ordersCancelled = EventType(
        name: "orders.cancelled",
        fields: order + [.optional("reason", .text(length: 0...reasonLength))],
        alert: .ordersCancelled, subject: .order)
    /// Raises when what is left is at or below the store's threshold: at most once a day of the
    /// store per variant and location. What is not newer than what is known raises nothing.
    public static let inventoryStockChanged = EventType(
        name: "inventory.stock_changed", fields: stock, alert: .inventoryLowStock, subject: .stock)
    /// Raises unless a bot answers, or its message has raised before. One that carries no message
    /// raises once per conversation.
    public static let conversationsStarted = EventType(
        name: "conversations.started", fields: conversation + [.optional("message", message)],
        alert: .conversationsStarted, subject: .conversation)
    /// Raises once per message id, those of `conversations.started` counted, unless a bot answers.
    public static let conversationsMessageReceived = EventType(
        name: "conversations.message_received",
        fields: conversation + [.required("message", message)],
        alert: .conversationsMessageReceived, subject: .conversation)
    /// A bot gave the conversation to people: from now on none answers. Raises every time.
    public static let conversationsHandedOver = EventType(
        name: "conversations.handed_over", fields: conversation + [.optional("message", message)],
        alert: .conversationsHandedOver, subject: .conversation)
    /// Raises when there is an assignee; null takes the assignment back.
    public static let conversationsAssigned = EventType(
        name: "conversations.assigned",
        fields: [
            .required("conversation_id", .uuid), .required("assignee_id", .uuid, nullable: true),
            .optional("actor_id", .uuid),
        ],
        alert: .conversationsAssigned, subject: .conversation)
    /// This and the next ones raise nothing: they change what is kept. `read_at` says up to when it
    /// was read.
    public static let conversationsRead = EventType(
        name: "conversations.read",
        fields: [.required("conversation_id", .uuid), .optional("read_at", .time)],
        alert: nil, subject: .conversation)
    public static let conversationsClosed = bare("conversations.closed")
    public static let conversationsReopened = bare("conversations.reopened")
    public static let conversationsBotChanged = EventType(
        name: "conversations.bot_changed",
        fields: [.required("conversation_id", .uuid), .required("bot_enabled", .boolean)],
        alert: nil, subject: .conversation)

    /// Every type, in the order in which they are documented.
    public static let all: [EventType] = [
        ordersCreated, ordersPaid, ordersCancelled, inventoryStockChanged, conversationsStarted,
        conversationsMessageReceived, conversationsHandedOver, conversationsAssigned,
        conversationsRead, conversationsClosed, conversationsReopened, conversationsBotChanged,
    ]

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The type of a name; nil when there is none.
    public static func named(_ name: String) -> EventType? { byName[name] }

    private static let reasonLength = 2000

    private static let name = FieldShape.text(length: 0...200)

    private static let order: [EventField] = [
        .required("order_id", .uuid),
        .required("number", .text(length: 1...40)),
        .required(
            "total", .object([.required("amount", .amount), .required("currency", .currency)])),
        .optional("customer_name", name),
        .optional("customer_id", .uuid),
        .optional("channel", .choice(["online", "manual"])),
    ]

    private static let stock: [EventField] = [
        .required("product_id", .uuid),
        .required("variant_id", .uuid),
        .required("location_id", .uuid),
        .required("product_name", name),
        .optional("variant_name", name),
        .optional("location_name", name),
        .required("quantity", .integer(-2_147_483_648...2_147_483_647)),
    ]

    private static let conversation: [EventField] = [
        .required("conversation_id", .uuid),
        .optional("customer_name", name),
        .optional("customer_id", .uuid),
        .optional("assignee_id", .uuid),
        .optional("bot_enabled", .boolean),
        .optional("status", .choice(["open", "pending", "closed"])),
    ]

    private static let message = FieldShape.object([
        .required("id", .text(length: 1...200)),
        .required("kind", .choice(MessageKind.allCases.map(\.rawValue))),
        .optional("text", .text(length: 0...10_000)),
    ])

    private static func bare(_ name: String) -> EventType {
        EventType(
            name: name, fields: [.required("conversation_id", .uuid)], alert: nil,
            subject: .conversation)
    }
}
