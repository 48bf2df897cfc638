public import JSON
public import Values

/// What happened, as everybody who must know it will read it.
public struct Alert: Sendable, Equatable {
    /// The event's own id.
    public let id: AlertID
    /// The tenant: nobody but its members is asked.
    public let store: StoreID
    /// Declares who may hear it, how it reads and how it travels.
    public let kind: AlertKind
    /// When it happened: never later than the receipt. Its life begins here.
    public let occurredAt: Timestamp
    /// What it is about and who is concerned.
    public let subject: AlertSubject
    /// What its texts name.
    public let content: AlertContent

    public init(
        id: AlertID, store: StoreID, kind: AlertKind, occurredAt: Timestamp,
        subject: AlertSubject, content: AlertContent
    ) {
        self.id = id
        self.store = store
        self.kind = kind
        self.occurredAt = occurredAt
        self.subject = subject
        self.content = content
    }

    /// The last moment at which a push of it may start.
    public var expiresAt: Timestamp { occurredAt + kind.life }

    /// The alert that an event raises; nil when its type raises none or its data is unreadable.
    ///
    /// - Parameter known: what the platform keeps of the subject, for what the event leaves out.
    public init?(
        raisedBy event: Event, id: AlertID, store: StoreID, receivedAt: Timestamp,
        known: KnownSubject = KnownSubject()
    ) {
        guard let kind = event.type.alert, let content = event.content else { return nil }
        self.init(
            id: id, store: store, kind: kind, occurredAt: event.time(receivedAt: receivedAt),
            subject: AlertSubject(content, known: known),
            content: AlertContent(content, known: known))
    }
}

/// What the platform keeps of the order, conversation or variant that an event is about.
public struct KnownSubject: Sendable, Equatable {
    /// The conversation's or the order's customer.
    public var customerName: String?
    /// The platform's id of that customer.
    public var customerID: String?
    /// Of the stock that changed, as the next.
    public var variantName: String?
    /// The place where the stock lies.
    public var locationName: String?

    public init(
        customerName: String? = nil, customerID: String? = nil, variantName: String? = nil,
        locationName: String? = nil
    ) {
        self.customerName = customerName
        self.customerID = customerID
        self.variantName = variantName
        self.locationName = locationName
    }
}

/// The ids that an alert concerns, by the names of their data keys (`order_id`, `customer_id`, …).
///
/// An open set: a kind's declaration says which of them travel, filter or decide.
public struct AlertSubject: Sendable, Equatable {
    /// Every member is a text; the order is that in which they were given.
    public private(set) var ids: JSONObject

    /// Data keys and ids. Keys must differ: a later one of the same name is never found.
    public init(_ ids: [(String, String)] = []) {
        self.ids = JSONObject(ids.map { ($0.0, JSONValue.text($0.1)) })
    }

    /// The kept form; members that are no text are left out.
    public init(json: JSONValue) {
        ids = JSONObject((json.object ?? JSONObject()).filter { $0.value.text != nil })
    }

    /// The kept form.
    public var json: JSONValue { .object(ids) }

    /// The id under a data key, as `order_id`; nil when the alert does not concern one.
    public subscript(_ key: String) -> String? {
        get { ids[key]?.text }
        set { ids[key] = newValue.map { .text($0) } }
    }

    /// Who was made responsible: of an assignment only.
    public var assignee: UserID? { self["assignee_id"].flatMap { UserID($0) } }

    /// Who did it, when the event says so.
    public var actor: UserID? { self["actor_id"].flatMap { UserID($0) } }

    /// The ids that travel with a kind, as the API shows the subject of an alert.
    public func travelling(with kind: AlertKind) -> JSONObject {
        JSONObject(kind.subjectKeys.compactMap { key in ids[key].map { (key, $0) } })
    }

    init(_ content: EventContent, known: KnownSubject) {
        self.init()
        switch content {
        case .order(let order):
            self["order_id"] = order.orderID
            self["customer_id"] = order.customerID.applied(to: known.customerID)
        case .stock(let stock):
            self["product_id"] = stock.productID
            self["variant_id"] = stock.variantID
            self["location_id"] = stock.locationID
        case .conversation(let conversation):
            self["conversation_id"] = conversation.conversationID
            self["customer_id"] = conversation.customerID.applied(to: known.customerID)
            self["assignee_id"] = conversation.assigneeID.value
            self["actor_id"] = conversation.actorID
            self["message_id"] = conversation.message?.id
        }
    }
}
