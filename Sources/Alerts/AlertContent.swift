public import JSON

/// What the texts of an alert name, cleaned, in no language yet: kept with the alert, so that the
/// inbox can be written in the reader's language at any later time.
///
/// A missing part is nil. A name that was given but shows nothing is empty, and reads as
/// "Customer".
public struct AlertContent: Sendable, Equatable {
    /// The order's number, as people know it.
    public var number: String?
    /// The order's, in its own currency.
    public var total: Money?
    /// Of an order or a conversation.
    public var customer: String?
    /// This and the next ones: of stock. A variant or location of which nothing can be seen is
    /// missing.
    public var product: String?
    public var variant: String?
    public var location: String?
    /// What is left of the variant.
    public var quantity: Int64?
    /// The customer's, of a conversation.
    public var message: Message?

    /// A message, by what kind it is and what of it may be shown.
    public struct Message: Sendable, Equatable {
        /// All but `text` read as their label, with the caption behind it.
        public let kind: MessageKind
        /// The text or caption, cut; nil when there is none to see.
        public let text: String?

        /// Takes the text as it is: cleaning and cutting it is the caller's care.
        public init(kind: MessageKind, text: String?) {
            self.kind = kind
            self.text = text
        }
    }

    /// Names nothing.
    public init() {}

    init(_ event: EventContent, known: KnownSubject) {
        switch event {
        case .order(let order):
            number = Text.cleaned(order.number)
            total = order.total
            customer = order.customerName.applied(to: known.customerName).map(Text.name)
        case .stock(let stock):
            product = Text.name(stock.productName)
            variant = stock.variantName.applied(to: known.variantName).flatMap(Text.visible)
            location = stock.locationName.applied(to: known.locationName).flatMap(Text.visible)
            quantity = stock.quantity
        case .conversation(let conversation):
            customer = conversation.customerName.applied(to: known.customerName).map(Text.name)
            message = conversation.message.map {
                Message(kind: $0.kind, text: $0.text.flatMap(Text.message))
            }
        }
    }
}

extension AlertContent {
    /// The kept form: a JSON object with only the parts that there are.
    public var json: JSONValue {
        var object = JSONObject()
        object["number"] = number.map { .text($0) }
        object["total"] = total.map {
            ["amount": .text($0.amount.text), "currency": .text($0.currency)]
        }
        object["customer"] = customer.map { .text($0) }
        object["product"] = product.map { .text($0) }
        object["variant"] = variant.map { .text($0) }
        object["location"] = location.map { .text($0) }
        object["quantity"] = quantity.map { .integer($0) }
        object["message"] = message?.json
        return .object(object)
    }

    /// Reads the kept form; parts that do not fit are missing, so that an alert of an older version
    /// still reads.
    public init(json: JSONValue) {
        number = json["number"]?.text
        if let amount = json["total"]?["amount"]?.text,
            let currency = json["total"]?["currency"]?.text
        {
            total = Money(amount: amount, currency: currency)
        }
        customer = json["customer"]?.text
        product = json["product"]?.text
        variant = json["variant"]?.text
        location = json["location"]?.text
        quantity = json["quantity"]?.integer
        message = json["message"].flatMap { Message(json: $0) }
    }
}

extension AlertContent.Message {
    fileprivate var json: JSONValue {
        var object = JSONObject([("kind", .text(kind.rawValue))])
        object["text"] = text.map { .text($0) }
        return .object(object)
    }

    fileprivate init?(json: JSONValue) {
        guard let kind = json["kind"]?.text.flatMap({ MessageKind(rawValue: $0) }) else {
            return nil
        }
        self.init(kind: kind, text: json["text"]?.text)
    }
}
