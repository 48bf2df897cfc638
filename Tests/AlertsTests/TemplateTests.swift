import Alerts
import Testing

@Suite("A store's own texts")
struct TemplateTests {
    static func check(
        _ title: String, _ body: String, _ kind: AlertKind = .ordersPaid
    ) -> [String] {
        do {
            try Fixtures.wording.check(
                Template(title: title, body: body), for: kind, language: "pt")
            return []
        } catch {
            return error.faults.map { "\($0.pointer) \($0.code.rawValue) \($0.offset)" }
        }
    }

    static let checks: [(String, String, [String])] = [
        ("💰 {number}", "{customer} pagou {total}", []),
        ("{nome}", "x", ["/title format 0"]),
        ("é {total", "{", ["/title format 2", "/body format 0"]),
        ("", " \u{200B} ", ["/title format 0", "/body format 0"]),
        (String(repeating: "x", count: 501), "x", ["/title length 500"]),
        (String(repeating: "🛒", count: 500), "x", []),
        ("{number, number}", "{total, select, other {}}", ["/title format 0", "/body format 0"]),
        ("{customer, select, Ana {oi} other {x}}", "x", []),
        ("{number, date}", "x", ["/title format 0"]),
        ("{quantity}", "x", ["/title format 0"]),
        ("{0}", "x", ["/title format 0"]),
        ("It''s '{'", "x", []),
    ]

    @Test("a broken one is refused with its place", arguments: checks)
    func checked(title: String, body: String, faults: [String]) {
        #expect(Self.check(title, body) == faults)
    }

    @Test("plurals are checked at every number")
    func plural() {
        #expect(
            Self.check("{quantity, plural, =5 {} other {x}}", "x", .inventoryLowStock)
                == ["/title format 0"])
    }

    static let parts: [(String, String)] = [
        ("{customer} pagou {total}", "pagou R$\u{A0}1.234,56"),
        ("{total} · {customer} · #{number}", "R$\u{A0}1.234,56 · #7"),
        ("{customer} · {total}", "R$\u{A0}1.234,56"), ("{total} ({customer})", "R$\u{A0}1.234,56"),
        ("{total} - {customer}", "R$\u{A0}1.234,56"), ("{total}, {customer}", "R$\u{A0}1.234,56"),
        ("[{customer}] {total}", "R$\u{A0}1.234,56"),
        ("{total} · ({customer}) · {number}", "R$\u{A0}1.234,56 · 7"),
        ("{customer}{customer}{total}", "R$\u{A0}1.234,56"),
        ("de {customer}: {total}", "de: R$\u{A0}1.234,56"),
        // Nothing left: the built-in text stands in.
        ("{customer}", "R$\u{A0}1.234,56"), ("({customer})", "R$\u{A0}1.234,56"),
    ]

    @Test("a missing part takes what tied it along", arguments: parts)
    func missing(body: String, expected: String) throws {
        let data = WordingTests.order(#""number":"7",\#(WordingTests.total)"#)
        let text = try Fixtures.text(
            "orders.paid", data, replacement: Template(title: "x", body: body))
        #expect(text == AlertText(title: "x", body: expected))
    }

    @Test("line breaks and turning marks of a template do not reach a phone")
    func cleaned() throws {
        let text = try Fixtures.text(
            "orders.paid",
            replacement: Template(title: "a\n\n{number}\u{202E}", body: " {total}\t{customer} "))
        #expect(
            text == AlertText(title: "a 1042", body: "R$\u{A0}1.234,56 Ana Souza"))
    }

    @Test("a template that no longer fits gives way to the built-in text")
    func unfit() throws {
        let text = try Fixtures.text(
            "orders.paid", replacement: Template(title: "{gone}", body: "{"))
        #expect(
            text == AlertText(title: "Pedido #1042 pago", body: "R$\u{A0}1.234,56 · Ana Souza"))
    }

    @Test("the built-in texts can be shown and restored")
    func builtIn() {
        #expect(
            Fixtures.wording.builtIn(.ordersPaid, language: "en")
                == Template(title: "Order #{number} paid", body: "{total} · {customer}"))
        #expect(Fixtures.wording.builtIn(.ordersPaid, language: "fr") == nil)
    }
}
