import Alerts
import Testing

@Suite("Text from people")
struct TextTests {
    static let family = "👩‍👩‍👧‍👦"

    static let cleaning: [(String, String)] = [
        ("Ana Souza", "Ana Souza"), ("  Ana \t\r\n Souza ", "Ana Souza"), ("", ""), (" ", ""),
        ("Ana\u{202E} Souza", "Ana Souza"), ("\u{2066}a\u{2069}\u{200F}b\u{61C}", "ab"),
        ("a\u{0}b\u{7}c\u{7F}d\u{9F}", "abcd"), ("a\u{85}b\u{2028}c\u{2029}d\u{A0}e", "a b c d e"),
        (family, family), ("می‌خواهم", "می‌خواهم"), ("क्‍ष", "क्‍ष"), ("محمد علي", "محمد علي"),
        ("{x} %@ &amp; '{'", "{x} %@ &amp; '{'"), ("\u{FEFF}x", "x"), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"),
        ("a\u{B}\u{C}b", "a b"),
    ]

    @Test("controls and turning marks go, white space runs become one space", arguments: cleaning)
    func cleaned(text: String, expected: String) {
        #expect(Text.cleaned(text) == expected)
        #expect(Text.cleaned(expected) == expected)
    }

    @Test(
        "a name that shows nothing is empty",
        arguments: [
            "", "   ", "\u{200B}", "\u{200D}\u{200C}", "\u{202E}", "\u{3164}", "\u{2800}", "\u{AD}",
            "\u{FE0F}", "\u{E0001}", "\u{115F}\u{1160}", "\u{FFA0}", "\u{034F}",
        ])
    func invisible(text: String) {
        #expect(Text.name(text) == "")
        #expect(Text.visible(text) == nil)
        #expect(Text.message(text) == nil)
    }

    @Test("a name that shows something stays", arguments: [".", "🛒", "李", "ي", "\u{200B}x"])
    func visible(text: String) {
        #expect(Text.name(text) == text)
    }

    @Test(
        "messages are cut at 240 characters, of which an emoji family is one",
        arguments: [
            "x", "é", "中", family, "e\u{301}",
        ])
    func cut(character: String) {
        let fits = String(repeating: character, count: 240)
        #expect(Text.message(fits) == fits)
        #expect(Text.message(fits + character) == fits + "…")
    }
}
