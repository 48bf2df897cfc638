import MessageFormat
import Testing

@Suite("Parsed patterns that are kept")
struct MessagePatternsTests {
    @Test("the same text and locale give the same pattern, another locale another")
    func same() throws {
        let patterns = MessagePatterns()
        let first = try patterns.pattern("{a}", locale: "pt-BR")
        #expect(try patterns.pattern("{a}", locale: "pt-BR") === first)
        #expect(try patterns.pattern("{a}", locale: "en-US") !== first)
        #expect(throws: PatternFault.self) { try patterns.pattern("{", locale: "pt-BR") }
        #expect(patterns.count == 2)
    }

    @Test("a flood of patterns stays within the bound and what is in use stays")
    func bounded() throws {
        let patterns = MessagePatterns(limit: 8)
        let used = try patterns.pattern("used", locale: "en")
        for number in 0..<100 {
            _ = try patterns.pattern("flood \(number)", locale: "en")
            #expect(patterns.count <= 8)
            #expect(try patterns.pattern("used", locale: "en") === used)
        }
    }
}
