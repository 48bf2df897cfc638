import Alerts
import Testing
import Values

@Suite("Answers of APNs")
struct APNsOutcomeTests {
    static let registered = Fixtures.time

    static func classify(
        _ status: Int, _ body: String, headers: [String: String] = [:]
    ) -> ProviderOutcome {
        APNsOutcome.classify(
            status: status, header: { headers[$0] }, body: Array(body.utf8),
            registeredAt: registered, now: Fixtures.time)
    }

    static func reason(_ reason: String, _ more: String = "") -> String {
        #"{"reason":"\#(reason)"\#(more)}"#
    }

    enum Expected: Sendable {
        case delete, request, credentials(ProviderOutcome.Remedy?), throttled, retry

        func outcome(_ word: ProviderWord) -> ProviderOutcome {
            switch self {
            case .delete: .unregistered(word, device: .delete)
            case .request: .requestRefused(word)
            case .credentials(let remedy): .credentialsRefused(word, remedy: remedy)
            case .throttled: .throttled(word, notBefore: nil)
            case .retry: .retry(word, notBefore: nil)
            }
        }
    }

    static let reasons: [(Int, String, Expected)] = [
        (400, "BadCollapseId", .request), (400, "BadDeviceToken", .delete),
        (400, "BadExpirationDate", .request), (400, "BadMessageId", .request),
        (400, "BadPriority", .request), (400, "BadTopic", .request),
        (400, "DeviceTokenNotForTopic", .delete), (400, "DuplicateHeaders", .request),
        (400, "IdleTimeout", .request), (400, "InvalidPushType", .request),
        (400, "MissingDeviceToken", .request), (400, "MissingTopic", .request),
        (400, "PayloadEmpty", .request), (400, "TopicDisallowed", .credentials(nil)),
        (403, "BadCertificate", .credentials(nil)),
        (403, "BadCertificateEnvironment", .credentials(nil)),
        (403, "ExpiredProviderToken", .credentials(.newTokenAndConnection)),
        (403, "Forbidden", .credentials(nil)), (403, "InvalidProviderToken", .credentials(nil)),
        (403, "MissingProviderToken", .credentials(nil)),
        (403, "UnrelatedKeyIdInToken", .credentials(.newConnection)),
        (403, "BadEnvironmentKeyInToken", .credentials(nil)), (404, "BadPath", .request),
        (405, "MethodNotAllowed", .request), (410, "ExpiredToken", .delete),
        (410, "Unregistered", .delete), (413, "PayloadTooLarge", .request),
        (429, "TooManyProviderTokenUpdates", .credentials(nil)),
        (429, "TooManyRequests", .throttled), (500, "InternalServerError", .retry),
        (503, "ServiceUnavailable", .retry), (503, "Shutdown", .retry),
        // Words that nobody documented: never a device, never a shrug.
        (400, "BrandNew", .request), (403, "BrandNew", .credentials(nil)),
        (410, "BrandNew", .request), (429, "BrandNew", .throttled), (418, "BrandNew", .request),
        (502, "BrandNew", .retry), (403, "BadDeviceToken", .credentials(nil)),
        (500, "Unregistered", .retry),
    ]

    @Test("every documented reason has its result, and its word is kept", arguments: reasons)
    func documented(status: Int, reason: String, expected: Expected) {
        #expect(
            Self.classify(status, Self.reason(reason))
                == expected.outcome(ProviderWord(status: status, reason: reason)))
    }

    @Test("an acceptance keeps the id that came back")
    func accepted() {
        #expect(Self.classify(200, "", headers: ["apns-id": "x"]) == .accepted(messageID: "x"))
        #expect(Self.classify(200, "") == .accepted(messageID: nil))
        #expect(Self.classify(200, "{}") == .accepted(messageID: nil))
    }

    @Test("two spellings of the wrong environment are one reason")
    func spelling() {
        #expect(
            Self.classify(403, Self.reason("BadEnvironmentKeyIdInToken"))
                == Self.classify(403, Self.reason("BadEnvironmentKeyInToken")))
    }

    static let ages: [(Int64, ProviderOutcome.DeviceFate)] = [
        (-60_000, .keep), (-1, .keep), (0, .delete), (60_000, .delete),
    ]

    @Test("a 410 that is older than the registration keeps the device", arguments: ages)
    func older(milliseconds: Int64, fate: ProviderOutcome.DeviceFate) {
        let at = Self.registered.microseconds / 1000 + milliseconds
        for reason in ["Unregistered", "ExpiredToken"] {
            #expect(
                Self.classify(410, Self.reason(reason, #","timestamp":\#(at)"#))
                    == .unregistered(ProviderWord(status: 410, reason: reason), device: fate))
        }
    }

    @Test(
        "a timestamp that is no time counts as absent",
        arguments: ["\"x\"", "9223372036854775807", "null"])
    func badTimestamp(timestamp: String) {
        #expect(
            Self.classify(410, Self.reason("Unregistered", #","timestamp":\#(timestamp)"#))
                == .unregistered(
                    ProviderWord(status: 410, reason: "Unregistered"), device: .delete))
    }

    static let unreadable = [
        "", "<html>Bad gateway</html>", "{", "[]", #"{"reason":7}"#, #"{"reason":""}"#,
        #"{"reason":"<b>"}"#, #"{"reason":"\#(String(repeating: "x", count: 65))"}"#,
        #"{"reason":"a","reason":"b"}"#,
    ]

    @Test(
        "what a proxy or nobody said is tried again: it is no word on token, key or request",
        arguments: unreadable)
    func html(body: String) {
        for status in [302, 400, 401, 403, 404, 405, 407, 410, 413, 451, 500, 502, 503] {
            let word = ProviderWord(status: status, reason: "http_\(status)")
            #expect(Self.classify(status, body) == .retry(word, notBefore: nil))
        }
        let slow = ProviderWord(status: 429, reason: "http_429")
        #expect(Self.classify(429, body) == .throttled(slow, notBefore: nil))
        #expect(
            Self.classify(403, body, headers: ["retry-after": "9"])
                == .retry(
                    ProviderWord(status: 403, reason: "http_403"), notBefore: .asked(.seconds(9))))
    }

    @Test("a page that a proxy serves with 200 is no acceptance")
    func pageWith200() {
        #expect(
            Self.classify(200, "<html>Sign in</html>")
                == .retry(ProviderWord(status: 200, reason: "http_200"), notBefore: nil))
    }

    @Test(
        "Retry-After is heard where it means something",
        arguments: [
            ("120", .asked(.seconds(120))), ("soon", nil),
        ] as [(String, ProviderWait?)])
    func retryAfter(text: String, wait: ProviderWait?) {
        let headers = ["retry-after": text]
        let word = ProviderWord(status: 503, reason: "Shutdown")
        #expect(
            Self.classify(503, Self.reason("Shutdown"), headers: headers)
                == .retry(word, notBefore: wait))
        let slow = ProviderWord(status: 429, reason: "TooManyRequests")
        #expect(
            Self.classify(429, Self.reason("TooManyRequests"), headers: headers)
                == .throttled(slow, notBefore: wait))
    }
}
