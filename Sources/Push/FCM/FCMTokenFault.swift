import WebClient

/// Why there is no access token.
enum FCMTokenFault: Error, Sendable, Equatable {
    /// Google refuses the account: status and error code, and what it says beside.
    case refused(status: Int, reason: String, detail: String)
    /// No answer, or one that says nothing about the account.
    case unavailable(status: Int, reason: String)
}

extension FCMTokenFault: CustomStringConvertible {
    var description: String {
        switch self {
        case .refused(let status, let reason, let detail):
            "refused with \(status) \(reason)\(detail.isEmpty ? "" : ": \(detail)")"
        case .unavailable(let status, let reason): "not to be had: \(status) \(reason)"
        }
    }

    init(_ failure: WebFailure) {
        self =
            switch failure {
            case .notAllowed: .refused(status: 0, reason: "address_not_allowed", detail: "")
            case .malformed: .refused(status: 0, reason: "request_malformed", detail: "")
            case .unreachable: .unavailable(status: 0, reason: "cannot_connect")
            case .tls: .unavailable(status: 0, reason: "no_trust")
            case .timeout: .unavailable(status: 0, reason: "timeout")
            case .tooLarge: .unavailable(status: 0, reason: "answer_too_large")
            case .interrupted: .unavailable(status: 0, reason: "connection_lost")
            }
    }
}
