public import Values

/// A field that a later event may change: absent says nothing about it, null says there is none.
public enum Change<Value: Sendable & Equatable>: Sendable, Equatable {
    case unchanged
    case none
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

    public var isUnchanged: Bool { self == .unchanged }
}

/// An event with its fields as types. Ids are lower-case text, since columns hold text.
public enum EventContent: Sendable, Equatable {
    case order(OrderEvent)
    case stock(StockEvent)
    case conversation(ConversationEvent)
}

/// `orders.*`.
public struct OrderEvent: Sendable, Equatable {
    public let orderID: String
    public let number: String
    public let total: Money
    public let customerName: Change<String>
    public let customerID: Change<String>
    /// `online` or `manual`.
    public let channel: Change<String>
    /// Of a cancellation.
    public let reason: Change<String>
}

/// `inventory.stock_changed`.
public struct StockEvent: Sendable, Equatable {
    public let productID: String
    public let variantID: String
    public let locationID: String
    public let productName: String
    public let variantName: Change<String>
    public let locationName: Change<String>
    public let quantity: Int64
}

/// `conversations.*`; what a type does not carry is unchanged or absent.
public struct ConversationEvent: Sendable, Equatable {
    public let conversationID: String
    public let customerName: Change<String>
    public let customerID: Change<String>
    public let assigneeID: Change<String>
    public let actorID: String?
    public let botEnabled: Change<Bool>
    /// `open`, `pending` or `closed`.
    public let status: Change<String>
    public let message: ConversationMessage?
    public let readAt: Timestamp?
}

public struct ConversationMessage: Sendable, Equatable {
    public let id: String
    public let kind: MessageKind
    public let text: String?

    public init(id: String, kind: MessageKind, text: String?) {
        self.id = id
        self.kind = kind
        self.text = text
    }
}
