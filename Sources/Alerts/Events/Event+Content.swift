import JSON
import Values

extension Event {
    /// The fields as types; nil only for data that the reader would refuse, as a row that was
    /// changed by hand.
    public var content: EventContent? {
        switch type.subject {
        case .order: order.map { .order($0) }
        case .stock: stock.map { .stock($0) }
        case .conversation: conversation.map { .conversation($0) }
        }
    }

    private var order: OrderEvent? {
        guard let orderID = data["order_id"]?.text, let number = data["number"]?.text,
            let amount = data["total"]?["amount"]?.text,
            let currency = data["total"]?["currency"]?.text,
            let total = Money(amount: amount, currency: currency)
        else { return nil }
        return OrderEvent(
            orderID: orderID, number: number, total: total, customerName: text("customer_name"),
            customerID: text("customer_id"), channel: text("channel"), reason: text("reason"))
    }

    private var stock: StockEvent? {
        guard let productID = data["product_id"]?.text, let variantID = data["variant_id"]?.text,
            let locationID = data["location_id"]?.text,
            let productName = data["product_name"]?.text,
            let quantity = data["quantity"]?.integer
        else { return nil }
        return StockEvent(
            productID: productID, variantID: variantID, locationID: locationID,
            productName: productName, variantName: text("variant_name"),
            locationName: text("location_name"), quantity: quantity)
    }

    private var conversation: ConversationEvent? {
        guard let conversationID = data["conversation_id"]?.text else { return nil }
        return ConversationEvent(
            conversationID: conversationID, customerName: text("customer_name"),
            customerID: text("customer_id"), assigneeID: text("assignee_id"),
            actorID: data["actor_id"]?.text, botEnabled: change("bot_enabled", \.bool),
            status: text("status"), message: message,
            readAt: data["read_at"]?.text.flatMap { Timestamp(rfc3339: $0) })
    }

    private var message: ConversationMessage? {
        guard let message = data["message"], let id = message["id"]?.text,
            let kind = message["kind"]?.text.flatMap({ MessageKind(rawValue: $0) })
        else { return nil }
        return ConversationMessage(id: id, kind: kind, text: message["text"]?.text)
    }

    private func text(_ key: String) -> Change<String> { change(key, \.text) }

    private func change<Value>(
        _ key: String, _ read: (JSONValue) -> Value?
    ) -> Change<Value> {
        guard let value = data[key] else { return .unchanged }
        return read(value).map { .value($0) } ?? .none
    }
}
