import Alerts
import JSON
import Storage
import Values

/// How orders, conversations and stock look.
enum SubjectShapes {
    static let order = Shape.named(
        "Order",
        .object([
            .required("id", .text), .required("number", .text),
            .required("status", .oneOf(["created", "paid", "cancelled"])),
            .required(
                "total", .object([.required("amount", .text), .required("currency", .text)])),
            .required("customer_name", .nullable(.text)), .required("channel", .nullable(.text)),
            .required("created_at", .nullable(.time)), .required("paid_at", .nullable(.time)),
            .required("cancelled_at", .nullable(.time)),
        ]))

    static let conversation = Shape.named(
        "Conversation",
        .object([
            .required("id", .text), .required("status", .oneOf(["open", "pending", "closed"])),
            .required("customer_name", .nullable(.text)),
            .required(
                "assignee",
                .nullable(.object([.required("id", .uuid), .required("name", .text)]))),
            .required("bot_enabled", .bool), .required("unread", .integer),
            .required(
                "last_message",
                .nullable(
                    .object([
                        .required("id", .text), .required("kind", .text),
                        .required("text", .nullable(.text)), .required("at", .time),
                    ]))),
        ]))

    static let counts = Shape.named(
        "ConversationCounts",
        .object([
            .required("open", .integer), .required("pending", .integer),
            .required("closed", .integer),
            .required(
                "unread",
                .object([
                    .required("mine", .integer), .required("unassigned", .integer),
                    .required("total", .integer),
                ])),
        ]))

    static let stock = Shape.named(
        "Stock",
        .object([
            .required("variant_id", .text), .required("product_id", .text),
            .required("product_name", .text), .required("variant_name", .nullable(.text)),
            .required(
                "locations",
                .list(
                    of: .object([
                        .required("location_id", .text),
                        .required("location_name", .nullable(.text)),
                        .required("quantity", .integer), .required("changed_at", .time),
                    ]))),
        ]))

    static func write(_ order: OrderLine, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", order.id)
        writer.member("number", order.number)
        writer.member("status", order.status)
        writer.key("total")
        writer.beginObject()
        writer.member("amount", order.amount)
        writer.member("currency", order.currency)
        writer.endObject()
        writer.member("customer_name", orNull: order.customerName)
        writer.member("channel", orNull: order.channel)
        writer.member("created_at", orNull: order.createdAt?.rfc3339)
        writer.member("paid_at", orNull: order.paidAt?.rfc3339)
        writer.member("cancelled_at", orNull: order.cancelledAt?.rfc3339)
        writer.endObject()
    }

    static func write(_ line: ConversationLine, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", line.id)
        writer.member("status", line.status)
        writer.member("customer_name", orNull: line.customerName)
        writer.key("assignee")
        if let assignee = line.assignee {
            writer.beginObject()
            writer.member("id", assignee.id.description)
            writer.member("name", assignee.name)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.member("bot_enabled", line.botEnabled)
        writer.member("unread", line.unread)
        writer.key("last_message")
        if let message = line.lastMessage {
            writer.beginObject()
            writer.member("id", message.id)
            writer.member("kind", message.kind)
            writer.member("text", orNull: message.text)
            writer.member("at", message.at.rfc3339)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.endObject()
    }

    static func write(_ counts: ConversationCounts, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("open", counts.open)
        writer.member("pending", counts.pending)
        writer.member("closed", counts.closed)
        writer.key("unread")
        writer.beginObject()
        writer.member("mine", counts.mine)
        writer.member("unassigned", counts.unassigned)
        writer.member("total", counts.total)
        writer.endObject()
        writer.endObject()
    }

    static func write(_ stock: StockLines, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("variant_id", stock.variantID)
        writer.member("product_id", stock.productID)
        writer.member("product_name", stock.productName)
        writer.member("variant_name", orNull: stock.variantName)
        writer.key("locations")
        writer.beginArray()
        for location in stock.locations {
            writer.beginObject()
            writer.member("location_id", location.id)
            writer.member("location_name", orNull: location.name)
            writer.member("quantity", location.quantity)
            writer.member("changed_at", location.changedAt.rfc3339)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
