import JSON

/// The body of an answer of FCM: `{"error": {"code", "message", "status", "details": […]}}`.
struct FCMAnswer {
    /// The message's name, of an acceptance.
    let name: String?
    /// `error.status`, as `NOT_FOUND`.
    let status: String?
    /// `error.message` in lower case; for telling cases apart only.
    let message: String
    /// FCM's own code, from the detail `FcmError`.
    let errorCode: String?
    /// What FCM heard from APNs.
    let apnsReason: String?
    let apnsStatus: Int64?
    /// The fields that `BadRequest` names.
    let violations: [String]

    init(_ body: [UInt8]) {
        let value = try? JSONValue.parse(body)
        name = value?["name"]?.text
        let error = value?["error"]
        status = error?["status"]?.text.flatMap(ProviderWord.safe)
        message = error?["message"]?.text?.lowercased() ?? ""
        let details = error?["details"]?.array ?? []
        let fcm = Self.detail("fcm.v1.FcmError", in: details)
        errorCode = fcm?["errorCode"]?.text.flatMap(ProviderWord.safe)
        let apns = Self.detail("fcm.v1.ApnsError", in: details)
        apnsReason = apns?["reason"]?.text.flatMap(ProviderWord.safe)
        apnsStatus = apns?["statusCode"]?.integer
        violations = details.flatMap { $0["fieldViolations"]?.array ?? [] }
            .compactMap { $0["field"]?.text }
    }

    private static func detail(_ type: String, in details: [JSONValue]) -> JSONValue? {
        details.first { $0["@type"]?.text?.hasSuffix(type) ?? false }
    }

    /// Whether it is FCM that speaks: a page of a proxy has none of these.
    var isOwn: Bool { status != nil || errorCode != nil || apnsReason != nil }

    var blamesToken: Bool { violations.contains("message.token") }

    /// FCM reports a message that is too large with the same details as a dead token.
    var speaksOfSize: Bool {
        ["too big", "too large", "maximum"].contains { message.contains($0) }
    }

    var speaksOfToken: Bool { message.contains("token") || message.contains("registration") }

    /// APNs told FCM that the token behind it is dead.
    var apnsSaysDead: Bool {
        apnsStatus == 410 || apnsReason == "Unregistered" || apnsReason == "ExpiredToken"
    }
}
