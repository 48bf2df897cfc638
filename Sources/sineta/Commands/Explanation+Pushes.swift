import Alerts
import Jobs
import Storage

/// What became of each push, as a clause of its person's sentence.
extension Explanation {
    func clause(about device: DeviceDecision) -> String {
        let what = "the \(device.transport?.rawValue ?? "") device \(device.device)"
        guard device.verdict.isYes else {
            return "\(what) got nothing, \(device.verdict.reason.words)"
        }
        guard let state = device.push.flatMap({ states[$0] }) else {
            return "what became of the push to \(what) is no longer kept"
        }
        let tries = state.attempts.map(phrase) + losses(of: state)
        let tried = tries.isEmpty ? "" : " (\(tries.joined(separator: ", ")))"
        return "\(what) \(end(of: state))\(tried)"
    }

    private func end(of state: PushState) -> String {
        let reason = state.reason.map { Reason(rawValue: $0).words } ?? "no reason is known"
        return switch state.state {
        case .waiting: waiting(state)
        case .sending: "is being sent to"
        case .accepted: "was accepted by its provider"
        case .rejected: "was rejected by its provider: \(reason)"
        case .expired: "got nothing, \(expiry(of: state))"
        case .suppressed: "got nothing: when it was to be sent, \(reason)"
        case .dead where state.isDeadLetter:
            "got nothing, and waits among the dead letters for an operator: \(reason)"
        case .dead:
            "got nothing, and nothing more is tried, since an operator discarded it: \(reason)"
        }
    }

    private func waiting(_ state: PushState) -> String {
        let time = state.nextAttemptAt.map { "waits until \($0)" }
        guard let closed = state.lane.flatMap({ closed[$0] }) else {
            return time ?? "waits for its turn"
        }
        let closure = "\(closed.credential) \(closed.words)"
        return time.map { "\($0) at least, because \(closure)" } ?? "waits, because \(closure)"
    }

    private func expiry(of state: PushState) -> String {
        if let wait = state.attempts.last?.retryAfter {
            return "since its provider asked to wait \(wait) s, and its time was over before that"
        }
        // Our own word is that of a push that did not start any more.
        return state.reason == DeliveryState.expired.rawValue
            ? "since its time was over" : "since its time was over before another try was due"
    }

    private func phrase(about attempt: PushState.Attempt) -> String {
        let words = [
            attempt.status.map { "\($0)" } ?? "no answer", attempt.reason,
            attempt.providerMessageID.map { "as \($0)" },
        ].compactMap(\.self)
        return "\(attempt.at) \(words.joined(separator: " "))"
    }

    /// A worker that is lost leaves no time behind, and maybe a push that its provider has.
    private func losses(of state: PushState) -> [String] {
        switch state.losses {
        case 0: []
        case 1: ["one try was lost with its worker"]
        default: ["\(state.losses) tries were lost with their workers"]
        }
    }
}

extension LaneState {
    /// Behind the name of the credential: why its lanes are closed, and what opens them.
    fileprivate var words: String {
        let cause = reason.map { " (\($0))" } ?? ""
        let probe = nextProbeAt.map { "; it is tried again at \($0)" } ?? ""
        return switch word {
        case .open: "is open"
        case .paused: "has been paused since \(since)\(cause)\(probe)"
        case .broken: "has been failing since \(since)\(cause)\(probe)"
        case .off: "has had no credentials since \(since)\(cause)"
        }
    }
}
