import Alerts
import Testing

@Suite("Words for operators")
struct WordsTests {
    @Test("every documented refusal has advice")
    func advice() {
        let documented = APNsOutcomeTests.reasons.map(\.1).filter { $0 != "BrandNew" }
        for reason in documented { #expect(ProviderAdvice.words(for: reason) != nil, "\(reason)") }
        #expect(ProviderAdvice.words(for: "BrandNew") == nil)
        #expect(ProviderAdvice.words(for: "THIRD_PARTY_AUTH_ERROR_InvalidProviderToken") != nil)
    }

    @Test("an answer without the provider's word is told as that of something between")
    func between() {
        let between = ProviderAdvice.words(for: "http_403")
        #expect(between?.contains("proxy") == true)
        #expect(ProviderAdvice.words(for: "token_http_502") == between)
        #expect(ProviderAdvice.words(for: "http_x") == nil)
        #expect(ProviderAdvice.words(for: "token_") == nil)
    }

    @Test("every reason of the ten steps is told in words, each its own")
    func reasons() {
        let reasons = Reason.all
        #expect(Set(DecisionTests.cases.map(\.expected)) == Set(reasons))
        let words = Set(reasons.map(\.words))
        #expect(words.count == reasons.count)
        #expect(reasons.allSatisfy { $0.words != $0.rawValue })
        #expect(Reason(rawValue: "brand_new").words == "brand_new")
    }
}
