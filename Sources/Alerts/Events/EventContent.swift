public import Values

/// A field that a later event may change: absent says nothing about it, null says there is none.
public enum Change<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The field is absent: what held before still holds.
    case unchanged
    /// The field is null: from now on there is none.
    case none
    /// From now on it is this.
    case value(Value)

    /// What holds after the change, given what held before.
    public func applied(to before: Value?) -> Value? {
        switch self {
        case .unchanged: before
        case .none: nil
        case .value(let value): value
        }
    }

    /// The new value; nil when there is none or nothing was said.
    public var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    /// Whether nothing was said.
    public var isUnchanged: Bool { self == .unchanged }
}

/// An event with its fields as types. Ids are lower-case text, since columns hold text.
public enum EventContent: Sendable, Equatable {
    /// `orders.*`.
    case order(OrderEvent)
    /// `inventory.stock_changed`.
    case stock(StockEvent)
    /// `conversations.*`.
    case conversation(ConversationEvent)
}

/// `orders.*`.
public struct OrderEvent: Sendable, Equatable {
    /// The platform's.
    public let orderID: String
    /// As people know it, `1042`.
    public let number: String
    /// Of any sign, in the order's own currency; every event of an order carries it.
    public let total: Money
    /// As it was sent: not cleaned, up to 200 code points.
    public let customerName: Change<String>
    /// The platform's.
    public let customerID: Change<String>
    /// `online` or `manual`.
    public let channel: Change<String>
    /// Of a cancellation.
    public let reason: Change<String>
}

/// `inventory.stock_changed`.
public struct StockEvent: Sendable, Equatable {
    /// A variant at a location is what stock is kept of; these ids are the platform's.
    public let productID: String
    public let variantID: String
    public let locationID: String
    /// As it was sent; it may show nothing, and so may the next ones.
    public let productName: String
    /// Null: the variant has no name of its own.
    public let variantName: Change<String>
    /// Null: the location has no name.
    public let locationName: Change<String>
    /// What is left; negative when more was sold than was there.
    public let quantity: Int64
}

/// `conversations.*`; what a type does not carry is unchanged or absent.
public struct ConversationEvent: Sendable, Equatable {
    /// The platform's.
    public let conversationID: String
    /// As it was sent: not cleaned, up to 200 code points.
    public let customerName: Change<String>
    /// The platform's.
    public let customerID: Change<String>
    /// The user to whom it is assigned from now on.
    public let assigneeID: Change<String>
    /// The user who did it, of an assignment.
    public let actorID: String?
    /// Whether a bot answers.
    public let botEnabled: Change<Bool>
    /// `open`, `pending` or `closed`.
    public let status: Change<String>
    /// What was said, of `started`, `message_received` and `handed_over`.
    public let message: ConversationMessage?
    /// Up to when it was read, of `read`.
    public let readAt: Timestamp?
}

/// A message of the customer.
public struct ConversationMessage: Sendable, Equatable {
    /// The platform's: a message that is told twice is one.
    public let id: String
    /// Whether `text` is the message itself or a caption.
    public let kind: MessageKind
    /// The text or caption.
    public let text: String?

    public init(id: String, kind: MessageKind, text: String?) {
        self.id = id
        self.kind = kind
        self.text = text
    }
}
