import Alerts
import Testing

@Suite("Words for operators")
struct WordsTests {
    @Test("every documented refusal that somebody can mend has advice")
    func advice() {
        let mendable = APNsOutcomeTests.reasons.filter { $0.1 != "BrandNew" && $0.0 >= 403 }
            .map(\.1)
            .filter {
                !["BadCertificate", "BadCertificateEnvironment", "BadPath", "MethodNotAllowed"]
                    .contains($0)
            }
        for reason in mendable { #expect(ProviderAdvice.words(for: reason) != nil, "\(reason)") }
        #expect(ProviderAdvice.words(for: "BrandNew") == nil)
        #expect(ProviderAdvice.words(for: "THIRD_PARTY_AUTH_ERROR_InvalidProviderToken") != nil)
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
