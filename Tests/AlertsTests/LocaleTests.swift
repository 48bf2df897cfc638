import Alerts
import Testing

@Suite("The language of a push")
struct LocaleTests {
    @Test(
        "tags are normalised",
        arguments: [
            ("pt_BR", "pt-BR"), ("PT-br", "pt-BR"), ("pt", "pt"), ("EN-gb", "en-GB"),
            ("PT-latn-br", "pt-Latn-BR"), ("en-US-U-CA-gregory", "en-US-u-ca-gregory"),
            ("es-419", "es-419"), ("ZH_HANT_tw", "zh-Hant-TW"), ("sl-ROZAJ", "sl-rozaj"),
            ("de-CH-1901", "de-CH-1901"), ("en-x-us", "en-x-us"),
        ])
    func normalised(tag: String, expected: String) {
        #expect(LanguageTag(tag)?.text == expected)
    }

    @Test(
        "malformed tags are refused",
        arguments: [
            "", "p", "-", "pt-", "-BR", "pt--BR", "pt BR", "pt.UTF-8", "p1", "português",
            "pt-BR\u{0}",
            "abcdefghi", "en-abcdefghi", String(repeating: "en-", count: 40) + "en",
        ])
    func malformed(tag: String) {
        #expect(LanguageTag(tag) == nil)
    }

    static let choices: [([String?], String, String)] = [
        (["pt_BR", "en", "en"], "pt", "pt-BR"), (["PT-br", "en", nil], "pt", "pt-BR"),
        (["pt", "en", nil], "pt", "pt-BR"), (["EN-gb", "pt", "pt"], "en", "en-GB"),
        (["pt-Latn-BR", nil, nil], "pt", "pt-BR"),
        (["en-US-u-ca-gregory", "pt", nil], "en", "en-US"), (["en", nil, nil], "en", "en-US"),
        (["pt-PT", nil, nil], "pt", "pt-PT"), (["ptx", nil, nil], "pt", "pt-BR"),
        (["eng", "ptx", "en"], "en", "en-US"), (["fr", "en-IN", "pt"], "en", "en-IN"),
        ([nil, nil, "en"], "en", "en-US"), ([nil, "", "garbage!"], "pt", "pt-BR"),
        (["en-BR", nil, nil], "en", "en-US"), (["pt-US", nil, nil], "pt", "pt-BR"),
        (["en-ZZ", "pt", nil], "en", "en-US"), ([], "pt", "pt-BR"),
    ]

    @Test(
        "device, then user, then store, then Portuguese, with the region that fits",
        arguments: choices)
    func choice(tags: [String?], language: String, tag: String) {
        #expect(
            Fixtures.wording.catalogue.locale(for: tags)
                == WordingLocale(language: language, tag: tag))
    }
}
