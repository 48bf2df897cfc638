public import Alerts

/// What a provider says of credentials when no device is at stake.
public enum ProbeResult: Sendable, Equatable {
    /// They are good.
    case accepted
    /// They are refused.
    case refused(ProviderWord)
    /// The provider said nothing about them: it is down, too busy, or out of reach.
    case unknown(ProviderWord)

    /// - Parameter outcome: of a push that no device could get. Whatever the provider says about
    ///   token or message, it has let the credentials pass before.
    init(_ outcome: ProviderOutcome) {
        switch outcome {
        case .accepted, .unregistered, .targetRefused: self = .accepted
        case .requestRefused(let word): self = Self.judge(word)
        case .credentialsRefused(let word, _): self = .refused(word)
        case .retry(let word, _), .throttled(let word, _): self = .unknown(word)
        }
    }

    /// The topic of a probe is the configured one: blame on it is blame on the configuration.
    private static func judge(_ word: ProviderWord) -> ProbeResult {
        if ["BadTopic", "MissingTopic"].contains(word.reason) { return .refused(word) }
        return word.status == 400 ? .accepted : .unknown(word)
    }
}
