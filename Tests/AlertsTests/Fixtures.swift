import Alerts
import Foundation
import JSON
import TestKit
import Testing
import Texts
import Values

/// What the tests of this room share: one store, its texts, and an event of each type.
enum Fixtures {
    static let store = StoreID(id("0199a0c4"))
    static let alertID = AlertID(id("0199c0de"))
    static let push = PushID(id("0199beef"))
    static let order = "0199b7e2-0000-7000-8000-000000000001"
    static let conversation = "0199c0b1-0000-7000-8000-000000000001"
    static let product = "0199aaaa-0000-7000-8000-000000000001"
    static let variant = "0199bbbb-0000-7000-8000-000000000001"
    static let location = "0199cccc-0000-7000-8000-000000000001"
    static let customer = "0199dddd-0000-7000-8000-000000000001"
    /// 2026-10-28T09:14:03.9Z.
    static let time = Timestamp(microseconds: 1_793_178_843_900_000)

    private static func id(_ head: String) -> Values.UUID {
        Values.UUID("\(head)-0000-7000-8000-000000000001") ?? .zero
    }

    static func user(_ number: Int) -> UserID {
        UserID(
            Values.UUID(high: 0x0199_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number)))
    }

    static func device(_ number: Int) -> DeviceID {
        DeviceID(
            Values.UUID(high: 0x0199_1111_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number)))
    }

    static func parse(_ text: String) throws -> JSONValue {
        try JSONValue.parse(Array(text.utf8))
    }

    static func event(_ type: String, _ data: String) throws -> Event {
        try Event.read(parse(#"{"id":"e","type":"\#(type)","data":\#(data)}"#))
    }

    /// The data of a complete event of each type that raises an alert.
    static let data: [String: String] = [
        "orders.created": orderData, "orders.paid": orderData, "orders.cancelled": orderData,
        "inventory.stock_changed": """
        {"product_id":"\(product)","variant_id":"\(variant)","location_id":"\(location)",
         "product_name":"Camiseta","variant_name":"P","location_name":"Centro","quantity":3}
        """,
        "conversations.started": conversationData,
        "conversations.message_received": conversationData,
        "conversations.handed_over": conversationData,
        "conversations.assigned": """
        {"conversation_id":"\(conversation)","assignee_id":"\(user(1))",
         "actor_id":"\(user(2))"}
        """,
    ]

    private static let orderData = """
        {"order_id":"\(order)","number":"1042","total":{"amount":"1234.56","currency":"BRL"},
         "customer_name":"Ana Souza","customer_id":"\(customer)","channel":"online"}
        """

    private static let conversationData = """
        {"conversation_id":"\(conversation)","customer_name":"Ana Souza",
         "customer_id":"\(customer)","message":{"id":"m1","kind":"text","text":"Tem M?"}}
        """

    static func alert(
        _ type: String, _ data: String? = nil, known: KnownSubject = KnownSubject()
    ) throws -> Alert {
        let event = try event(type, data ?? #require(self.data[type]))
        return try #require(
            Alert(raisedBy: event, id: alertID, store: store, receivedAt: time, known: known))
    }

    static let wording: Wording = {
        do {
            return try LocalizationFolder(SourceTree.path("Localization")).wording()
        } catch {
            preconditionFailure("the texts are refused: \(error)")
        }
    }()

    static func files() throws -> [Catalogue.File] {
        try LocalizationFolder(SourceTree.path("Localization")).files()
    }

    static func text(
        _ type: String, _ data: String? = nil, in language: String = "pt",
        replacement: Template? = nil, known: KnownSubject = KnownSubject()
    ) throws -> AlertText {
        let alert = try alert(type, data, known: known)
        return try wording.text(
            of: alert.kind, alert.content, in: wording.catalogue.locale(for: [language]),
            replacement: replacement)
    }
}
