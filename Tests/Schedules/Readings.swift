import Alerts
import Jobs
import Storage

extension ProviderOutcome {
    /// What the provider asked to wait.
    var notBefore: Duration? {
        switch self {
        case .retry(_, let wait), .throttled(_, let wait): wait?.duration
        default: nil
        }
    }

    /// Whether it is one of those of which five bury.
    var isAgain: Bool {
        switch self {
        case .retry, .throttled: true
        default: false
        }
    }

    var withoutNotBefore: ProviderOutcome {
        switch self {
        case .retry(let word, _): .retry(word, notBefore: nil)
        case .throttled(let word, _): .throttled(word, notBefore: nil)
        default: self
        }
    }
}

extension Oracle.End {
    init(_ outcome: PushEnd.Outcome) {
        self =
            switch outcome {
            case .accepted: .accepted
            case .rejected: .rejected
            case .expired, .suppressed: .expired
            }
    }
}
