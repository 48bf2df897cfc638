import Alerts
import JSON
import Testing
import Texts

@Suite("The texts in Localization")
struct CatalogueTests {
    static func changed(
        _ file: String, _ change: (inout JSONObject, inout JSONObject) -> Void
    ) throws -> [Catalogue.File] {
        try Fixtures.files().map { original in
            guard original.name == file else { return original }
            var root = try #require(try JSONValue.parse(original.bytes).object)
            var texts = try #require(root["texts"]?.object)
            change(&root, &texts)
            root["texts"] = .object(texts)
            return Catalogue.File(name: file, bytes: JSONValue.object(root).encoded)
        }
    }

    @Test("the files of the house are whole and offer English and Portuguese")
    func whole() throws {
        let catalogue = try Catalogue(Fixtures.files(), compiler: ICUPatterns())
        #expect(catalogue.offered == ["en", "pt"])
        for key in TextKey.all {
            for language in catalogue.offered {
                #expect(catalogue.pattern(key, language: language) != nil)
            }
        }
    }

    static let faults: [(String, String?, String)] = [
        ("orders.paid.title", nil, "pt.json: orders.paid.title is missing"),
        ("orders.eaten.title", "x", "pt.json: orders.eaten.title is not a key"),
        (
            "orders.paid.title", "Pedido {nome}",
            "pt.json: orders.paid.title: {nome} is no argument here at character 7"
        ),
        (
            "orders.paid.title", "Pedido {number",
            "pt.json: orders.paid.title: a brace is not closed at character 7"
        ),
        (
            "orders.paid.body", "{total, number}",
            "pt.json: orders.paid.body: {total} cannot be used in this way at character 0"
        ),
        (
            "orders.paid.body", "{customer, plural, other {x}}",
            "pt.json: orders.paid.body: {customer} cannot be used in this way at character 0"
        ),
        (
            "inventory.low_stock.body", "{quantity, plural, one {x} other {}}",
            "pt.json: inventory.low_stock.body: yields an empty text at character 0"
        ),
        ("test.title", " ", "pt.json: test.title: yields an empty text at character 0"),
    ]

    @Test("a wrong key, argument or pattern refuses all, in one line", arguments: faults)
    func refused(key: String, pattern: String?, line: String) throws {
        let files = try Self.changed("pt.json") { _, texts in
            texts[key] = pattern.map { .text($0) }
        }
        #expect { try Catalogue(files, compiler: ICUPatterns()) } throws: { "\($0)" == line }
    }

    @Test("a wrong head refuses all")
    func head() throws {
        let wrong: [@Sendable (inout JSONObject) -> Void] = [
            { $0["language"] = nil }, { $0["language"] = "português" }, { $0["extra"] = 1 },
            { $0["default_region"] = "Brazil" }, { $0["regions"] = [1] }, { $0["language"] = "PT" },
        ]
        for change in wrong {
            let files = try Self.changed("pt.json") { root, _ in change(&root) }
            #expect(throws: CatalogueFault.self) { try Catalogue(files, compiler: ICUPatterns()) }
        }
        let files = try Fixtures.files()
        #expect { try Catalogue(Array(files.prefix(1)), compiler: ICUPatterns()) } throws: {
            "\($0)" == "pt.json: the file is missing"
        }
        #expect { try Catalogue(files + files, compiler: ICUPatterns()) } throws: {
            "\($0)" == "en.json: the language en is there twice"
        }
        let broken = Catalogue.File(name: "pt.json", bytes: Array("{".utf8))
        #expect { try Catalogue([broken], compiler: ICUPatterns()) } throws: {
            "\($0)".hasPrefix("pt.json: the document ends too early")
        }
    }

    @Test("a third language is a third file and nothing else")
    func third() throws {
        let spanish = try #require(
            try Self.changed("en.json") { root, texts in
                root["language"] = "es"
                root["default_region"] = "MX"
                root["regions"] = ["ES"]
                texts["orders.paid.title"] = "Pedido #{number} pagado"
            }.first { $0.name == "en.json" })
        let compiler = ICUPatterns()
        let catalogue = try Catalogue(
            Fixtures.files() + [Catalogue.File(name: "es.json", bytes: spanish.bytes)],
            compiler: compiler)
        let wording = Wording(catalogue: catalogue, compiler: compiler)
        let alert = try Fixtures.alert("orders.paid")
        let texts = try ["es_ES", "es", "es-419"].map {
            try wording.text(
                of: alert.kind, alert.content, in: catalogue.locale(for: [$0, "en", "pt"]))
        }
        #expect(
            texts.map(\.title) == Array(repeating: "Pedido #1042 pagado", count: 3))
        #expect(
            texts.map(\.body) == [
                "1234,56\u{A0}BRL · Ana Souza", "BRL\u{A0}1,234.56 · Ana Souza",
                "BRL\u{A0}1,234.56 · Ana Souza",
            ])
    }
}
