public import Values

/// One event, checked and read, as the transaction of `Ingest` takes it.
public struct IngestEvent: Sendable {
    public let store: StoreID
    /// The caller's own id, 1–200 bytes: the same one again is answered with the first result.
    public let externalID: String
    /// Ours, version 7 and of the time of receipt; also the alert's when one is raised.
    public let id: EventID
    /// The event's type: `orders.paid`.
    public let type: String
    /// Never after `receivedAt`: an event of the future happened when it was received.
    public let occurredAt: Timestamp
    public let receivedAt: Timestamp
    /// False for an event older than its alert's life: what it says is kept, nothing is raised.
    public let mayRaise: Bool
    public let change: SubjectChange
    /// The job that decides the alert which this event may raise; nil for types without one.
    public let alert: RaisedAlert?

    public init(
        store: StoreID, externalID: String, id: EventID, type: String, occurredAt: Timestamp,
        receivedAt: Timestamp, mayRaise: Bool, change: SubjectChange, alert: RaisedAlert?
    ) {
        self.store = store
        self.externalID = externalID
        self.id = id
        self.type = type
        self.occurredAt = occurredAt
        self.receivedAt = receivedAt
        self.mayRaise = mayRaise
        self.change = change
        self.alert = alert
    }
}

/// What travels to the decider when the alert is raised.
public struct RaisedAlert: Sendable {
    public let isUrgent: Bool
    /// The last moment at which a push of it may start.
    public let expiresAt: Timestamp
    /// The kept event as encoded JSON: the arguments of the decide job.
    public let arguments: [UInt8]

    public init(isUrgent: Bool, expiresAt: Timestamp, arguments: [UInt8]) {
        self.isUrgent = isUrgent
        self.expiresAt = expiresAt
        self.arguments = arguments
    }
}

/// What an event says about the one thing that it is about.
public enum SubjectChange: Sendable {
    case order(OrderChange)
    case stock(StockChange)
    case conversation(ConversationChange)
    /// For kinds to come that keep nothing.
    case nothing
}

/// A field that an event may leave as it was, or set, or clear.
public enum Change<Value: Sendable>: Sendable {
    case unchanged
    case set(Value?)

    var isSet: Bool { if case .set = self { true } else { false } }
    var value: Value? { if case .set(let value) = self { value } else { nil } }
}

extension Change: Equatable where Value: Equatable {}

public struct OrderChange: Sendable {
    /// Which of the once-per-order marks the event takes.
    public enum Status: String, Sendable { case created, paid, cancelled }

    public let id: String
    public let status: Status
    public let number: String
    /// Decimal text in major units, and ISO 4217.
    public let amount: String
    public let currency: String
    public let customerName: Change<String>
    public let customerID: String?
    public let channel: String?

    public init(
        id: String, status: Status, number: String, amount: String, currency: String,
        customerName: Change<String> = .unchanged, customerID: String? = nil,
        channel: String? = nil
    ) {
        self.id = id
        self.status = status
        self.number = number
        self.amount = amount
        self.currency = currency
        self.customerName = customerName
        self.customerID = customerID
        self.channel = channel
    }
}

public struct StockChange: Sendable {
    public let productID: String
    public let variantID: String
    public let locationID: String
    public let productName: String
    public let variantName: String?
    public let locationName: String?
    public let quantity: Int64

    public init(
        productID: String, variantID: String, locationID: String, productName: String,
        variantName: String? = nil, locationName: String? = nil, quantity: Int64
    ) {
        self.productID = productID
        self.variantID = variantID
        self.locationID = locationID
        self.productName = productName
        self.variantName = variantName
        self.locationName = locationName
        self.quantity = quantity
    }
}

public struct ConversationChange: Sendable {
    /// When the event raises its alert.
    public enum Raise: Sendable {
        /// `started`, `message_received`: the bot is off, and the message (or, without one, the
        /// start) raised nothing before.
        case unlessBotOrRaised
        /// `handed_over`.
        case always
        /// `assigned`: somebody is.
        case ifAssigned
        /// `read`, `closed`, `reopened`, `bot_changed`.
        case never
    }

    public enum Status: String, Sendable { case open, pending, closed }

    public struct Message: Sendable {
        public let id: String
        public let kind: String
        /// Kept cut by the caller.
        public let text: String?

        public init(id: String, kind: String, text: String?) {
            self.id = id
            self.kind = kind
            self.text = text
        }
    }

    public let id: String
    public let raise: Raise
    public let customerName: Change<String>
    public let customerID: String?
    public let assignee: Change<UserID>
    /// Null means off.
    public let bot: Change<Bool>
    public let status: Status?
    /// Messages up to this moment are read.
    public let readAt: Timestamp?
    public let message: Message?

    public init(
        id: String, raise: Raise, customerName: Change<String> = .unchanged,
        customerID: String? = nil, assignee: Change<UserID> = .unchanged,
        bot: Change<Bool> = .unchanged, status: Status? = nil, readAt: Timestamp? = nil,
        message: Message? = nil
    ) {
        self.id = id
        self.raise = raise
        self.customerName = customerName
        self.customerID = customerID
        self.assignee = assignee
        self.bot = bot
        self.status = status
        self.readAt = readAt
        self.message = message
    }
}

/// Why an event raised no alert.
public enum NoAlertReason: String, Sendable {
    case alreadyRaised = "already_raised"
    case aboveThreshold = "above_threshold"
    case alreadyToday = "already_today"
    case stale
    case botOn = "bot_on"
    case noAssignee = "no_assignee"
    case tooOld = "too_old"
    case noAlert = "no_alert"
}

/// What the caller is told of one event; a duplicate carries what the first call was told.
public struct IngestResult: Sendable, Equatable {
    public let externalID: String
    public let id: EventID
    public let isDuplicate: Bool
    /// As stored, so that a duplicate of an event of a newer release still has its word.
    public let reason: String?

    public init(externalID: String, id: EventID, isDuplicate: Bool, reason: String?) {
        self.externalID = externalID
        self.id = id
        self.isDuplicate = isDuplicate
        self.reason = reason
    }

    /// The event's own UUID when it raised an alert.
    public var alert: AlertID? { reason == nil ? id : nil }
}
