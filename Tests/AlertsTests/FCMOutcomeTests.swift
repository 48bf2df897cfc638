import Alerts
import Testing
import Values

@Suite("Answers of FCM")
struct FCMOutcomeTests {
    static func classify(
        _ status: Int, _ body: String, retryAfter: String? = nil, bytes: Int = 500
    ) -> ProviderOutcome {
        FCMOutcome.classify(
            status: status, header: { $0 == "retry-after" ? retryAfter : nil },
            body: Array(body.utf8), countedBytes: bytes, now: Fixtures.time)
    }

    static func error(_ status: String, _ message: String, _ details: String...) -> String {
        #"{"error":{"code":1,"message":"\#(message)","status":"\#(status)","details":[\#(details.joined(separator: ","))]}}"#
    }

    static func fcm(_ code: String) -> String {
        #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
    }

    static func apns(_ status: Int, _ reason: String) -> String {
        #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.ApnsError","statusCode":\#(status),"reason":"\#(reason)"}"#
    }

    static func violation(_ field: String) -> String {
        #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#(field)","description":"d"}]}"#
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let status: Int
        let body: String
        let expected: ProviderOutcome
        var bytes = 500

        var testDescription: String { name }
    }

    static func word(_ status: Int, _ reason: String) -> ProviderWord {
        ProviderWord(status: status, reason: reason)
    }

    static let invalid = "INVALID_ARGUMENT"
    static let dead = "The registration token is not a valid FCM registration token"

    static let cases: [Case] = [
        Case(
            name: "accepted", status: 200, body: #"{"name":"projects/p/messages/1"}"#,
            expected: .accepted(messageID: "projects/p/messages/1")),
        Case(
            name: "unspecified", status: 400, body: error("X", "m", fcm("UNSPECIFIED_ERROR")),
            expected: .requestRefused(word(400, "UNSPECIFIED_ERROR"))),
        Case(
            name: "dead token by FcmError and words", status: 400,
            body: error(invalid, dead, fcm(invalid)),
            expected: .unregistered(word(400, invalid), device: .delete)),
        Case(
            name: "dead token by violation", status: 400,
            body: error(invalid, "m", violation("message.token")),
            expected: .unregistered(word(400, invalid), device: .delete)),
        Case(
            name: "dead token by violation and FcmError", status: 400,
            body: error(invalid, "m", fcm(invalid), violation("message.token")),
            expected: .unregistered(word(400, invalid), device: .delete)),
        Case(
            name: "dead token by APNs", status: 400,
            body: error(
                invalid, "APNs device token is disabled.", fcm(invalid), apns(410, "Unregistered")),
            expected: .unregistered(word(400, invalid), device: .delete)),
        Case(
            name: "token blamed, but our message is too large", status: 400,
            body: error(invalid, dead, fcm(invalid)),
            expected: .requestRefused(word(400, invalid)), bytes: 4097),
        Case(
            name: "token field blamed, but our message is too large", status: 400,
            body: error(invalid, "m", violation("message.token")),
            expected: .requestRefused(word(400, invalid)), bytes: 4097),
        Case(
            name: "too big for Android", status: 400,
            body: error(invalid, "Android message is too big", fcm(invalid)),
            expected: .requestRefused(word(400, invalid))),
        Case(
            name: "too large, naming the token", status: 400,
            body: error(
                invalid, "Message is too large. The maximum is 4K (4096 bytes). token",
                fcm(invalid)),
            expected: .requestRefused(word(400, invalid))),
        Case(
            name: "another field", status: 400,
            body: error(
                invalid, "Invalid value at 'message.data[2].value'",
                violation("message.data[2].value")),
            expected: .requestRefused(word(400, invalid))),
        Case(
            name: "another field, FcmError and a word of tokens", status: 400,
            body: error(invalid, "token", fcm(invalid), violation("message.data[2].value")),
            expected: .requestRefused(word(400, invalid))),
        Case(
            name: "FcmError that names nothing", status: 400,
            body: error(invalid, "Request contains an invalid argument.", fcm(invalid)),
            expected: .requestRefused(word(400, invalid))),
        Case(
            name: "a word of tokens without FcmError", status: 400, body: error(invalid, dead),
            expected: .requestRefused(word(400, invalid))),
        Case(
            name: "unregistered", status: 404,
            body: error("NOT_FOUND", "Requested entity was not found.", fcm("UNREGISTERED")),
            expected: .unregistered(word(404, "UNREGISTERED"), device: .delete)),
        Case(
            name: "unregistered, heard from APNs", status: 404,
            body: error("NOT_FOUND", "m", fcm("UNREGISTERED"), apns(410, "Unregistered")),
            expected: .unregistered(word(404, "UNREGISTERED"), device: .delete)),
        Case(
            name: "another project's token", status: 403,
            body: error("PERMISSION_DENIED", "SenderId mismatch", fcm("SENDER_ID_MISMATCH")),
            expected: .unregistered(word(403, "SENDER_ID_MISMATCH"), device: .delete)),
        Case(
            name: "APNs refuses the project's key", status: 401,
            body: error(
                "UNAUTHENTICATED", "Auth error from APNS", fcm("THIRD_PARTY_AUTH_ERROR"),
                apns(403, "InvalidProviderToken")),
            expected: .targetRefused(
                word(401, "THIRD_PARTY_AUTH_ERROR_InvalidProviderToken"))),
        Case(
            name: "the same by its older name", status: 401,
            body: error("UNAUTHENTICATED", "m", fcm("APNS_AUTH_ERROR")),
            expected: .targetRefused(word(401, "APNS_AUTH_ERROR"))),
        Case(
            name: "the same without FcmError", status: 401,
            body: error("UNAUTHENTICATED", "m", apns(403, "BadEnvironmentKeyInToken")),
            expected: .targetRefused(word(401, "UNAUTHENTICATED_BadEnvironmentKeyInToken"))),
        Case(
            name: "quota", status: 429,
            body: error("RESOURCE_EXHAUSTED", "m", fcm("QUOTA_EXCEEDED")),
            expected: .throttled(word(429, "QUOTA_EXCEEDED"), notBefore: .atLeast(.seconds(60)))),
        Case(
            name: "quota without FcmError", status: 429, body: error("RESOURCE_EXHAUSTED", "m"),
            expected: .throttled(word(429, "RESOURCE_EXHAUSTED"), notBefore: .atLeast(.seconds(60)))
        ),
        Case(
            name: "unavailable", status: 503, body: error("UNAVAILABLE", "m", fcm("UNAVAILABLE")),
            expected: .retry(word(503, "UNAVAILABLE"), notBefore: .atLeast(.seconds(10)))),
        Case(
            name: "internal", status: 500, body: error("INTERNAL", "m", fcm("INTERNAL")),
            expected: .retry(word(500, "INTERNAL"), notBefore: .atLeast(.seconds(10)))),
        Case(
            name: "access token refused", status: 401, body: error("UNAUTHENTICATED", "m"),
            expected: .credentialsRefused(word(401, "UNAUTHENTICATED"), remedy: .newToken)),
        Case(
            name: "wrong project", status: 404, body: error("NOT_FOUND", "m"),
            expected: .credentialsRefused(word(404, "NOT_FOUND"), remedy: nil)),
        Case(
            name: "no permission", status: 403, body: error("PERMISSION_DENIED", "m"),
            expected: .credentialsRefused(word(403, "PERMISSION_DENIED"), remedy: nil)),
        // Codes that nobody documented.
        Case(
            name: "new code, 404", status: 404, body: error("NOT_FOUND", "m", fcm("BRAND_NEW")),
            expected: .requestRefused(word(404, "BRAND_NEW"))),
        Case(
            name: "new code, 503", status: 503, body: error("X", "m", fcm("BRAND_NEW")),
            expected: .retry(word(503, "BRAND_NEW"), notBefore: .atLeast(.seconds(10)))),
        Case(
            name: "new code, 400, naming the token's field", status: 400,
            body: error("X", "m", fcm("BRAND_NEW"), violation("message.data")),
            expected: .requestRefused(word(400, "BRAND_NEW"))),
        Case(
            name: "new code, 403", status: 403,
            body: error("PERMISSION_DENIED", "m", fcm("BRAND_NEW")),
            expected: .requestRefused(word(403, "BRAND_NEW"))),
    ]

    @Test("every answer has its result, and its word is kept", arguments: cases)
    func documented(row: Case) {
        #expect(Self.classify(row.status, row.body, bytes: row.bytes) == row.expected)
    }

    static let unreadable = [
        "", "<html>", "{", "[]", "{}", #"{"error":"forbidden"}"#, #"{"error":{"code":403}}"#,
        #"{"error":{"status":"<b>"}}"#,
    ]

    @Test(
        "what a proxy or nobody said is tried again: it is no word on token, account or message",
        arguments: unreadable)
    func html(body: String) {
        for status in [200, 302, 400, 401, 403, 404, 407, 410, 413, 451, 500, 502, 503] {
            #expect(
                Self.classify(status, body)
                    == .retry(
                        Self.word(status, "http_\(status)"), notBefore: .atLeast(.seconds(10))))
        }
        #expect(
            Self.classify(429, body)
                == .throttled(Self.word(429, "http_429"), notBefore: .atLeast(.seconds(60))))
    }

    @Test(
        "Retry-After stands in for the minute of a quota, and lengthens the ten seconds of a fault")
    func retryAfter() {
        func wait(_ status: Int, _ retryAfter: String?) -> ProviderWait? {
            switch Self.classify(status, "", retryAfter: retryAfter) {
            case .retry(_, let wait), .throttled(_, let wait): wait
            default: nil
            }
        }
        #expect(wait(429, "5") == .asked(.seconds(5)))
        #expect(wait(429, "-5") == .atLeast(.seconds(60)))
        let short = wait(503, "5")
        #expect(short?.duration == .seconds(10) && short?.asked == .seconds(5))
        #expect(wait(503, "120") == .asked(.seconds(120)))
        #expect(
            wait(429, "Wed, 28 Oct 2026 09:16:03 GMT") == .asked(.milliseconds(119_100)))
    }
}
