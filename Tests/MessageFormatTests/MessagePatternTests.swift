import MessageFormat
import Testing

@Suite("ICU patterns with named arguments")
struct MessagePatternTests {
    @Test(
        "plurals follow the locale's rules, zero and negatives included",
        arguments: [
            ("pt-BR", 3, "Restam 3 unidades"), ("pt-BR", 1, "Resta 1 unidade"),
            ("pt-BR", 1234, "Restam 1.234 unidades"), ("pt-BR", 0, "Resta 0 unidade"),
            ("ru", 3, "Restam 3 unidades"),
        ])
    func plurals(locale: String, count: Int64, expected: String) throws {
        let pattern = try MessagePattern(
            "{count, plural, one {Resta # unidade} other {Restam # unidades}}", locale: locale)
        #expect(try pattern.format(["count": .integer(count)]) == expected)
    }

    static let hostile = [
        "{total}", "'{x}'", "%@ %d", "&amp;", "{count, plural, other {#}}", "", "a\u{0}b", "🛒👩‍👩‍👧",
        "\u{202E}x", "it''s",
    ]

    @Test("a text argument is data and comes out as it is", arguments: hostile)
    func data(text: String) throws {
        let pattern = try MessagePattern("<{name}>", locale: "en-US")
        #expect(try pattern.format(["name": .text(text), "unused": .integer(1)]) == "<\(text)>")
    }

    static let amounts: [(String, String, String, String)] = [
        ("pt-BR", "1234.56", "BRL", "R$\u{A0}1.234,56"), ("en-US", "1234.56", "BRL", "R$1,234.56"),
        ("pt-BR", "1234.56", "USD", "US$\u{A0}1.234,56"), ("en-US", "1234.5", "USD", "$1,234.50"),
        ("pt-BR", "-1234.5", "BRL", "-R$\u{A0}1.234,50"), ("pt-BR", "0", "BRL", "R$\u{A0}0,00"),
        ("pt-BR", "-0", "BRL", "-R$\u{A0}0,00"), ("en-US", "1000", "JPY", "¥1,000"),
        ("en-US", "1000.00", "JPY", "¥1,000"), ("en-US", "1.5", "JPY", "¥1.5"),
        ("en-US", "1.5", "KWD", "KWD\u{A0}1.500"), ("en-US", "10.005", "USD", "$10.005"),
        (
            "pt-BR", "12345678901234567890.12", "BRL",
            "R$\u{A0}12.345.678.901.234.567.890,12"
        ),
        ("pt-PT", "1234.56", "BRL", "1234,56\u{A0}R$"), ("en-US", "1", "QQQ", "QQQ\u{A0}1.00"),
        ("de", "1234.56", "EUR", "1.234,56\u{A0}€"),
    ]

    @Test("money is exact in every currency and stands as the locale writes it", arguments: amounts)
    func money(locale: String, amount: String, currency: String, expected: String) throws {
        let pattern = try MessagePattern("{total}", locale: locale)
        #expect(
            try pattern.format(["total": .money(amount: amount, currency: currency)]) == expected)
    }

    @Test(
        "what is no decimal or no currency is refused",
        arguments: [
            ("1e5", "BRL"), ("NaN", "BRL"), ("", "BRL"), (".", "BRL"), ("1,5", "BRL"),
            ("1-", "BRL"),
            ("1.2.3", "BRL"), ("Infinity", "BRL"), ("1", "brl"), ("1", "BR"), ("1", "BRLX"),
            ("1", "ÄB"),
        ])
    func notMoney(amount: String, currency: String) throws {
        let pattern = try MessagePattern("{total}", locale: "pt-BR")
        #expect(throws: FormatFault.notMoney) {
            try pattern.format(["total": .money(amount: amount, currency: currency)])
        }
    }

    static let brokenPatterns: [(String, Int)] = [
        ("Pedido {number", 7), ("é🛒 {", 3), ("{count, plural, one {x}}", 0), ("{a b}", 1),
        ("x {count, foo}", 2), ("{n, select, other {{x}}", 11), ("'{' {a} {b", 8), ("}", -1),
    ]

    @Test("a broken pattern names the position in characters", arguments: brokenPatterns)
    func brokenPattern(pattern: String, offset: Int) {
        if offset < 0 {
            // A closing brace alone is text to ICU.
            #expect(throws: Never.self) { try MessagePattern(pattern, locale: "pt-BR") }
            return
        }
        #expect { try MessagePattern(pattern, locale: "pt-BR") } throws: {
            ($0 as? PatternFault)?.offset == offset
        }
    }

    @Test("a pattern tells which arguments it uses, how and where")
    func uses() throws {
        let pattern = try MessagePattern(
            "ã {a} {n, plural, other {# {b}}} {s, select, x {1} other {2}} {n, number} {d, date}",
            locale: "en")
        #expect(
            pattern.uses == [
                .init(name: "a", form: .plain, offset: 2),
                .init(name: "n", form: .plural, offset: 6),
                .init(name: "b", form: .plain, offset: 27),
                .init(name: "s", form: .select, offset: 33),
                .init(name: "n", form: .number, offset: 62),
                .init(name: "d", form: .other, offset: 74),
            ])
        #expect(pattern.arguments == ["a", "n", "b", "s", "d"])
    }

    @Test("a missing or unfit value is refused instead of printing its name")
    func unfit() throws {
        let pattern = try MessagePattern("{n, plural, other {#}} {a}", locale: "en")
        #expect(throws: FormatFault.missing(argument: "a")) {
            try pattern.format(["n": .integer(1)])
        }
        #expect {
            try pattern.format(["n": .text("x"), "a": .text("y")])
        } throws: {
            if case .mismatch = $0 as? FormatFault { true } else { false }
        }
    }

    @Test("texts longer than the first guess come out whole")
    func long() throws {
        let pattern = try MessagePattern("{a}{a}{a}{a}{a}{a}", locale: "en")
        let text = String(repeating: "中🛒", count: 2000)
        #expect(
            try pattern.format(["a": .text(text)]) == String(repeating: text, count: 6))
    }

    @Test("many threads share one pattern and one currency")
    func shared() async throws {
        let pattern = try MessagePattern(
            "{n, plural, one {# pedido} other {# pedidos}} {total}", locale: "pt-BR")
        let all = await withTaskGroup(of: Bool.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    (0..<200).allSatisfy { round in
                        let n = worker * 1000 + round + 2
                        let text = try? pattern.format([
                            "n": .integer(Int64(n)),
                            "total": .money(amount: "\(n)", currency: "BRL"),
                        ])
                        let figure =
                            n < 1000
                            ? "\(n)" : "\(n / 1000)." + String("\(1000 + n % 1000)".dropFirst())
                        return text == "\(figure) pedidos R$\u{A0}\(figure),00"
                    }
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(all)
    }
}
