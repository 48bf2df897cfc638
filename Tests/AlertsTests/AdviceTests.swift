import Alerts
import Foundation
import TestKit
import Testing

/// The reasons are read out of the sources: whoever adds one is told here that it has no words yet.
@Suite("Words for every reason that the product can give")
struct AdviceTests {
    /// The providers' words, from the tables of outcomes and from the doubles'.
    @Test(
        "every word of a provider that the product or its simulator knows has advice",
        arguments: [
            "Alerts/Outcomes/APNsOutcome.swift", "Alerts/Outcomes/FCMOutcome.swift",
            "Alerts/Outcomes/FCMAnswer.swift", "Alerts/Outcomes/ProviderOutcome.swift",
            "Simulator/APNs/APNsVerdict.swift", "Simulator/APNs/APNsRules.swift",
            "Simulator/APNs/ProviderTokenRules.swift", "Simulator/FCM/FCMFault.swift",
            "Simulator/FCM/FCMRules.swift", "Simulator/FCM/FCMDouble.swift",
        ])
    func ofProviders(file: String) throws {
        let text = try Self.text(file)
        let words = text.matches(of: #/"([A-Z]+(?:_[A-Z]+)+|[A-Z]{5,}|(?:[A-Z][a-z]+){2,})"/#)
            .map { String($0.1) }
            // The same in Apple's documentation; it is kept in the spelling that is sent.
            .filter { $0 != "BadEnvironmentKeyIdInToken" }
        for word in words { #expect(ProviderAdvice.words(for: word) != nil, "\(word)") }
    }

    @Test("the tables of outcomes are found by this", arguments: ["APNsOutcome", "FCMOutcome"])
    func found(name: String) throws {
        let text = try Self.text("Alerts/Outcomes/\(name).swift")
        #expect(text.contains(name == "APNsOutcome" ? #""BadDeviceToken""# : #""UNREGISTERED""#))
    }

    /// Reasons of ours are in lower case: of requests without an answer, of burials, of lanes.
    static let rooms = ["Alerts", "Push", "Worker", "Jobs"]

    @Test("every reason of our own has advice", arguments: rooms)
    func ours(room: String) throws {
        var found = 0
        for file in try Self.files(room) where !file.contains("ProviderAdvice") {
            let text = try Self.text(file)
            let ofTokens = text.matches(
                of: #/\.(?:refused|unavailable)\(\s*status: \w+, reason: "([a-z_]+)"/#
            ).map { "token_\($0.1)" }
            let words =
                text.matches(of: #/(?:reason: |reason = |noAnswer\(|\?\? )"([a-z]+(?:_[a-z]+)+)"/#)
                .map { String($0.1) }
                + text.matches(of: #/reason: "(poison|timeout|expired)"/#).map { String($0.1) }
            // What a token's fault says is kept with `token_` before it.
            let own = ofTokens.isEmpty ? words : []
            found += own.count + ofTokens.count
            for word in own + ofTokens {
                #expect(ProviderAdvice.words(for: word) != nil, "\(word) of \(file)")
            }
            for match in text.matches(of: #/reason: "([a-z]+_)\\\(/#)
            where match.1 != "token_" && match.1 != "http_" {
                #expect(ProviderAdvice.words(for: "\(match.1)57014") != nil, "\(match.1)")
            }
        }
        #expect(found > 0, "\(room)")
    }

    @Test("what Apple told Firebase is about Firebase's key, and names Apple's word")
    func firebaseAtApple() throws {
        for code in ["THIRD_PARTY_AUTH_ERROR", "APNS_AUTH_ERROR", "UNAUTHENTICATED"] {
            for word in ["InvalidProviderToken", "BadEnvironmentKeyInToken", "BrandNew"] {
                let advice = try #require(ProviderAdvice.words(for: "\(code)_\(word)"))
                #expect(advice.contains(word) && advice.contains("Firebase"))
                #expect(!advice.contains("APNS_"))
            }
        }
    }

    @Test("a request that could not be built is not Google's answer about a token")
    func requests() {
        let local = ProviderAdvice.words(for: "invalid_request")
        #expect(local?.contains("Google") == false)
        #expect(
            ProviderAdvice.words(for: "token_invalid_request")?.contains("access token") == true)
    }

    private static func text(_ file: String) throws -> String {
        try String(contentsOfFile: SourceTree.path("Sources/\(file)"), encoding: .utf8)
    }

    private static func files(_ room: String) throws -> [String] {
        let folder = SourceTree.path("Sources/\(room)")
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
        return (names ?? []).filter { $0.hasSuffix(".swift") }.map { "\(room)/\($0)" }
    }
}
