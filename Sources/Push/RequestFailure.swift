import Alerts
import HTTP2

extension ProviderOutcome {
    /// What a request without an answer means for its push. All but one may come right by itself.
    static func failed(_ failure: HTTP2Failure) -> ProviderOutcome {
        switch failure {
        case .timeout: .noAnswer("timeout")
        case .notStarted: .noAnswer("not_started")
        case .connect: .noAnswer("cannot_connect")
        case .notSent(let reason), .unknown(let reason): failed(reason)
        }
    }

    private static func failed(_ reason: HTTP2Reason) -> ProviderOutcome {
        switch reason {
        case .closed: .noAnswer("client_closed")
        case .connectionLost: .noAnswer("connection_lost")
        case .reset: .noAnswer("stream_reset")
        case .responseTooLarge: .noAnswer("answer_too_large")
        // The same bytes would be refused again: an encoder is wrong, or a token.
        case .invalidRequest: .requestRefused(ProviderWord(status: 0, reason: "invalid_request"))
        }
    }
}
