/// What APNs answers to one request.
struct APNsVerdict: Equatable, Sendable {
    let status: Int
    /// Nil for success.
    let reason: String?

    static let accepted = APNsVerdict(status: 200, reason: nil)

    /// The answer with the status that goes with the reason
    /// (https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
    static func refused(_ reason: String) -> APNsVerdict {
        APNsVerdict(status: statuses[reason] ?? 400, reason: reason)
    }

    /// Those that are not 400.
    private static let statuses = [
        "BadCertificate": 403, "BadCertificateEnvironment": 403, "ExpiredProviderToken": 403,
        "Forbidden": 403, "InvalidProviderToken": 403, "MissingProviderToken": 403,
        "UnrelatedKeyIdInToken": 403, "BadEnvironmentKeyIdInToken": 403,
        "BadEnvironmentKeyInToken": 403, "BadPath": 404, "MethodNotAllowed": 405,
        "ExpiredToken": 410, "Unregistered": 410, "PayloadTooLarge": 413,
        "TooManyProviderTokenUpdates": 429, "TooManyRequests": 429, "InternalServerError": 500,
        "ServiceUnavailable": 503, "Shutdown": 503,
    ]
}

/// Tokens that answer by themselves: the first digits say what.
enum APNsWellKnownToken {
    static let prefixes: [(prefix: String, reason: String)] = [
        ("0000bad0", "BadDeviceToken"), ("0000dead", "Unregistered"),
        ("0000e0ed", "ExpiredToken"), ("00000429", "TooManyRequests"),
        ("00000500", "InternalServerError"), ("00000503", "ServiceUnavailable"),
    ]

    static func reason(of token: String) -> String? {
        guard token.hasPrefix("0000") else { return nil }
        return prefixes.first { token.hasPrefix($0.prefix) }?.reason
    }
}
