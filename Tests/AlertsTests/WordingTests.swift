import Alerts
import JSON
import Testing

@Suite("What they read")
struct WordingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let type: String
        var data: String?
        let pt: [String?]
        let en: [String?]

        var testDescription: String { "\(type): \(pt.compactMap { $0 })" }
    }

    static func message(_ message: String, _ more: String = #","customer_name":"Ana Souza""#)
        -> String
    {
        #"{"conversation_id":"\#(Fixtures.conversation)"\#(more),"message":\#(message)}"#
    }

    static func stock(_ quantity: Int, _ more: String) -> String {
        let id = Fixtures.variant
        return
            #"{"product_id":"\#(id)","variant_id":"\#(id)","location_id":"\#(id)","quantity":\#(quantity),\#(more)}"#
    }

    static func order(_ more: String) -> String {
        #"{"order_id":"\#(Fixtures.order)",\#(more)}"#
    }

    static let received = "conversations.message_received"
    static let total = #""total":{"amount":"1234.56","currency":"BRL"}"#

    static let cases: [Case] = [
        Case(
            type: "orders.created", pt: ["Novo pedido #1042", "R$\u{A0}1.234,56 · Ana Souza"],
            en: ["New order #1042", "R$1,234.56 · Ana Souza"]),
        Case(
            type: "orders.paid", pt: ["Pedido #1042 pago", "R$\u{A0}1.234,56 · Ana Souza"],
            en: ["Order #1042 paid", "R$1,234.56 · Ana Souza"]),
        Case(
            type: "orders.cancelled",
            pt: ["Pedido #1042 cancelado", "R$\u{A0}1.234,56 · Ana Souza"],
            en: ["Order #1042 cancelled", "R$1,234.56 · Ana Souza"]),
        Case(
            type: "inventory.stock_changed",
            pt: ["Estoque baixo: Camiseta (P)", "Restam 3 unidades · Centro"],
            en: ["Low stock: Camiseta (P)", "3 units left · Centro"]),
        Case(
            type: "conversations.started", pt: ["Nova conversa: Ana Souza", "Tem M?"],
            en: ["New conversation: Ana Souza", "Tem M?"]),
        Case(type: received, pt: ["Ana Souza", "Tem M?"], en: ["Ana Souza", "Tem M?"]),
        Case(
            type: "conversations.handed_over", pt: ["Ana Souza precisa de você", "Tem M?"],
            en: ["Ana Souza needs you", "Tem M?"]),
        Case(
            type: "conversations.assigned", data: nil,
            pt: ["Conversa atribuída a você", "Cliente"],
            en: ["Conversation assigned to you", "Customer"]),
        // Plural, zero, less than nothing.
        Case(
            type: "inventory.stock_changed",
            data: stock(1, #""product_name":"Camiseta","location_name":"Centro""#),
            pt: ["Estoque baixo: Camiseta", "Resta 1 unidade · Centro"],
            en: ["Low stock: Camiseta", "1 unit left · Centro"]),
        Case(
            type: "inventory.stock_changed", data: stock(0, #""product_name":"Camiseta""#),
            pt: ["Estoque baixo: Camiseta", "Sem estoque"],
            en: ["Low stock: Camiseta", "Out of stock"]),
        Case(
            type: "inventory.stock_changed",
            data: stock(-4, #""product_name":" \u200b","variant_name":"","location_name":" ""#),
            pt: ["Estoque baixo: Produto", "Sem estoque"],
            en: ["Low stock: Product", "Out of stock"]),
        // Missing and unseen parts.
        Case(
            type: "orders.paid", data: order(#""number":"7",\#(total)"#),
            pt: ["Pedido #7 pago", "R$\u{A0}1.234,56"], en: ["Order #7 paid", "R$1,234.56"]),
        Case(
            type: "orders.paid", data: order(#""number":"7","customer_name":"\u202e ",\#(total)"#),
            pt: ["Pedido #7 pago", "R$\u{A0}1.234,56 · Cliente"],
            en: ["Order #7 paid", "R$1,234.56 · Customer"]),
        Case(
            type: "conversations.started",
            data: #"{"conversation_id":"\#(Fixtures.conversation)"}"#,
            pt: ["Nova conversa: Cliente", nil], en: ["New conversation: Customer", nil]),
        Case(
            type: "conversations.handed_over",
            data: #"{"conversation_id":"\#(Fixtures.conversation)","customer_name":"Ana"}"#,
            pt: ["Ana precisa de você", "O bot transferiu a conversa para a equipe"],
            en: ["Ana needs you", "The bot handed the conversation to the team"]),
        // Data is never a pattern, and does not turn the line around.
        Case(
            type: "orders.paid",
            data: order(
                #""number":"{total}","customer_name":"Ana\u202e {x} %@ &amp; ''",\#(total)"#),
            pt: ["Pedido #{total} pago", "R$\u{A0}1.234,56 · Ana {x} %@ &amp; ''"],
            en: ["Order #{total} paid", "R$1,234.56 · Ana {x} %@ &amp; ''"]),
        Case(
            type: "orders.paid",
            data: order(#""number":"1.000","customer_name":"محمد",\#(total)"#),
            pt: ["Pedido #1.000 pago", "R$\u{A0}1.234,56 · محمد"],
            en: ["Order #1.000 paid", "R$1,234.56 · محمد"]),
        // A dangling separator that the customer wrote is theirs.
        Case(
            type: "orders.paid", data: order(#""number":"7","customer_name":"a ·",\#(total)"#),
            pt: ["Pedido #7 pago", "R$\u{A0}1.234,56 · a ·"],
            en: ["Order #7 paid", "R$1,234.56 · a ·"]),
        // Media.
        Case(
            type: received, data: message(#"{"id":"m","kind":"image","text":"na praia"}"#),
            pt: ["Ana Souza", "📷 Foto · na praia"], en: ["Ana Souza", "📷 Photo · na praia"]),
        Case(
            type: received, data: message(#"{"id":"m","kind":"voice_note"}"#),
            pt: ["Ana Souza", "🎤 Mensagem de voz"], en: ["Ana Souza", "🎤 Voice message"]),
        Case(
            type: received, data: message(#"{"id":"m","kind":"file","text":" \n "}"#, ""),
            pt: ["Cliente", "📎 Arquivo"], en: ["Customer", "📎 File"]),
        Case(
            type: received, data: message(#"{"id":"m","kind":"video","text":null}"#),
            pt: ["Ana Souza", "🎥 Vídeo"], en: ["Ana Souza", "🎥 Video"]),
        Case(
            type: received, data: message(#"{"id":"m","kind":"audio"}"#),
            pt: ["Ana Souza", "🎵 Áudio"], en: ["Ana Souza", "🎵 Audio"]),
        Case(
            type: received, data: message(#"{"id":"m","kind":"product"}"#),
            pt: ["Ana Souza", "🛍️ Produto"], en: ["Ana Souza", "🛍️ Product"]),
        Case(
            type: received, data: message(#"{"id":"m","kind":"order"}"#),
            pt: ["Ana Souza", "🧾 Pedido"], en: ["Ana Souza", "🧾 Order"]),
        Case(
            type: received, data: message(#"{"id":"m","kind":"text","text":"a\n\nb  c"}"#),
            pt: ["Ana Souza", "a b c"], en: ["Ana Souza", "a b c"]),
    ]

    @Test("every kind reads as the table says, in both languages", arguments: cases)
    func table(row: Case) throws {
        for (language, expected) in [("pt", row.pt), ("en", row.en)] {
            let text = try Fixtures.text(row.type, row.data, in: language)
            #expect([text.title, text.body] == expected)
        }
    }

    @Test("the test names its phone")
    func test() throws {
        let wording = Fixtures.wording
        let texts = try ["pt", "en"].map {
            try wording.text(of: .test, AlertContent(), in: wording.catalogue.locale(for: [$0]))
        }
        #expect(
            texts == [
                AlertText(
                    title: "Teste de notificação",
                    body: "As notificações estão funcionando neste aparelho."),
                AlertText(
                    title: "Notification test",
                    body: "Notifications are working on this device."),
            ])
    }

    @Test("what the platform knows stands in for what an event leaves out, unless it says none")
    func known() throws {
        let known = KnownSubject(customerName: "Bia", variantName: "G", locationName: "Loja 2")
        let absent =
            #"{"conversation_id":"\#(Fixtures.conversation)","assignee_id":"\#(Fixtures.user(1))"}"#
        #expect(try Fixtures.text("conversations.assigned", absent, known: known).body == "Bia")
        let none = Self.order(#""number":"7","customer_name":null,\#(Self.total)"#)
        #expect(try Fixtures.text("orders.paid", none, known: known).body == "R$\u{A0}1.234,56")
        let stock = try Fixtures.text(
            "inventory.stock_changed", Self.stock(2, #""product_name":"Saia""#), known: known)
        #expect(
            stock
                == AlertText(
                    title: "Estoque baixo: Saia (G)", body: "Restam 2 unidades · Loja 2"))
    }

    @Test("the region decides how numbers stand")
    func regions() throws {
        let data = Self.order(#""number":"7",\#(Self.total)"#)
        #expect(
            try ["pt-PT", "en-IN", "en-ZA"].map {
                try Fixtures.text("orders.paid", data, in: $0).body
            } == ["1234,56\u{A0}R$", "R$1,234.56", "R$1\u{A0}234,56"])
    }

    @Test("what is kept with the alert reads the same later")
    func kept() throws {
        for row in Self.cases {
            let alert = try Fixtures.alert(row.type, row.data)
            let json = try JSONValue.parse(alert.content.json.encoded)
            #expect(AlertContent(json: json) == alert.content)
            let subject = try JSONValue.parse(alert.subject.json.encoded)
            #expect(AlertSubject(json: subject) == alert.subject)
        }
    }

    @Test("kept arguments of another version still read")
    func foreign() throws {
        let content = AlertContent(json: ["number": 7, "total": "x", "new": true])
        let wording = Fixtures.wording
        let text = try wording.text(
            of: .ordersPaid, content, in: wording.catalogue.locale(for: ["pt"]))
        #expect(text == AlertText(title: "Pedido # pago", body: nil))
    }
}
