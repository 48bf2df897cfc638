import JSON

/// An error as Google's APIs say it (https://cloud.google.com/apis/design/errors).
struct FCMFault: Error, Equatable, Sendable {
    let status: Int
    /// The canonical code's name.
    let code: String
    let message: String
    /// FCM's own word (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode).
    var errorCode: String?
    var violation: Violation?
    /// What APNs said to FCM.
    var apns: APNsVerdict?
    var quota: String?

    struct Violation: Equatable, Sendable {
        let field: String
        let description: String
    }

    /// The word for the inbox.
    var reason: String { errorCode ?? code }

    var body: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("error")
        writer.beginObject()
        writer.member("code", status)
        writer.member("message", message)
        writer.member("status", code)
        if errorCode != nil || violation != nil || apns != nil || quota != nil {
            writer.member("details", .array(details))
        }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private var details: [JSONValue] {
        var details: [JSONValue] = []
        let type = "type.googleapis.com/google."
        if let errorCode {
            details.append([
                "@type": .text(type + "firebase.fcm.v1.FcmError"), "errorCode": .text(errorCode),
            ])
        }
        if let apns {
            details.append([
                "@type": .text(type + "firebase.fcm.v1.ApnsError"),
                "statusCode": .integer(Int64(apns.status)), "reason": .text(apns.reason ?? ""),
            ])
        }
        if let violation {
            details.append([
                "@type": .text(type + "rpc.BadRequest"),
                "fieldViolations": [
                    [
                        "field": .text(violation.field),
                        "description": .text(violation.description),
                    ]
                ],
            ])
        }
        if let quota {
            details.append([
                "@type": .text(type + "rpc.QuotaFailure"),
                "violations": [["subject": .text(quota), "description": "Quota exceeded."]],
            ])
        }
        return details
    }
}

extension FCMFault {
    /// A member of the wrong form: BadRequest only, so that nobody takes the token for the cause.
    static func invalid(_ field: String, _ message: String) -> FCMFault {
        FCMFault(
            status: 400, code: "INVALID_ARGUMENT", message: message,
            violation: Violation(field: field, description: message))
    }

    static let unauthenticated = FCMFault(
        status: 401, code: "UNAUTHENTICATED",
        message: "Request had invalid authentication credentials. Expected OAuth 2 access token, "
            + "login cookie or other valid authentication credential. See "
            + "https://developers.google.com/identity/sign-in/web/devconsole-project.")

    static let notFound = FCMFault(
        status: 404, code: "NOT_FOUND", message: "Requested entity was not found.")

    static let tooLarge = FCMFault(
        status: 400, code: "INVALID_ARGUMENT",
        message: "Message is too large. The maximum is 4K (4096 bytes).",
        errorCode: "INVALID_ARGUMENT")

    /// The answer that goes with FCM's word, or with a canonical code's name.
    static func named(_ reason: String, status: Int? = nil) -> FCMFault {
        if let fault = all[reason], status == nil || status == fault.status { return fault }
        return FCMFault(
            status: status ?? 500, code: code(of: status ?? 500), message: reason,
            errorCode: reason == code(of: status ?? 500) ? nil : reason)
    }

    private static let all: [String: FCMFault] = [
        "INVALID_ARGUMENT": FCMFault(
            status: 400, code: "INVALID_ARGUMENT",
            message: "The registration token is not a valid FCM registration token",
            errorCode: "INVALID_ARGUMENT"),
        "UNREGISTERED": FCMFault(
            status: 404, code: "NOT_FOUND", message: "Requested entity was not found.",
            errorCode: "UNREGISTERED"),
        "SENDER_ID_MISMATCH": FCMFault(
            status: 403, code: "PERMISSION_DENIED", message: "SenderId mismatch",
            errorCode: "SENDER_ID_MISMATCH"),
        "THIRD_PARTY_AUTH_ERROR": FCMFault(
            status: 401, code: "UNAUTHENTICATED",
            message: "Auth error from APNS or Web Push Service",
            errorCode: "THIRD_PARTY_AUTH_ERROR",
            apns: APNsVerdict(status: 403, reason: "InvalidProviderToken")),
        "QUOTA_EXCEEDED": FCMFault(
            status: 429, code: "RESOURCE_EXHAUSTED",
            message: "Quota exceeded for quota metric 'Messages sent per project per minute'.",
            errorCode: "QUOTA_EXCEEDED", quota: "project"),
        "UNAVAILABLE": FCMFault(
            status: 503, code: "UNAVAILABLE", message: "The service is currently unavailable.",
            errorCode: "UNAVAILABLE"),
        "INTERNAL": FCMFault(
            status: 500, code: "INTERNAL", message: "Internal error encountered.",
            errorCode: "INTERNAL"),
        "UNAUTHENTICATED": unauthenticated,
        "NOT_FOUND": notFound,
        "PERMISSION_DENIED": FCMFault(
            status: 403, code: "PERMISSION_DENIED",
            message: "Permission 'cloudmessaging.messages.create' denied on resource "
                + "'//cloudresourcemanager.googleapis.com/projects/sineta-simulator' "
                + "(or it may not exist)."),
    ]

    private static func code(of status: Int) -> String {
        switch status {
        case 400: "INVALID_ARGUMENT"
        case 401: "UNAUTHENTICATED"
        case 403: "PERMISSION_DENIED"
        case 404: "NOT_FOUND"
        case 429: "RESOURCE_EXHAUSTED"
        case 503: "UNAVAILABLE"
        default: "INTERNAL"
        }
    }
}

/// Tokens that answer by themselves: the first letters say what.
enum FCMWellKnownToken {
    static let prefixes: [(prefix: String, reason: String)] = [
        ("invalid-", "INVALID_ARGUMENT"), ("unregistered-", "UNREGISTERED"),
        ("mismatch-", "SENDER_ID_MISMATCH"), ("apns-auth-", "THIRD_PARTY_AUTH_ERROR"),
        ("quota-", "QUOTA_EXCEEDED"), ("unavailable-", "UNAVAILABLE"), ("internal-", "INTERNAL"),
    ]

    static func reason(of token: String) -> String? {
        prefixes.first { token.hasPrefix($0.prefix) }?.reason
    }
}
