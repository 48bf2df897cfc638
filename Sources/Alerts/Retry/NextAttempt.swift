public import Values

/// What becomes of a push after a failed attempt.
public enum NextAttempt: Sendable, Equatable {
    /// Again at this moment.
    case at(Timestamp)
    /// The next moment would be past its life.
    case expired
    /// Every attempt is spent.
    case dead

    /// - Parameters:
    ///   - attempts: how many were made, the failed one counted
    ///   - notBefore: the least wait, whoever wants it
    ///   - random: from 0 to 1
    public static func decide(
        attempts: Int, policy: RetryPolicy, notBefore: Duration?, now: Timestamp,
        expiresAt: Timestamp?, random: Double
    ) -> NextAttempt {
        if attempts >= policy.attempts { return .dead }
        let delay = policy.backoff.delay(after: attempts, random: random, floor: notBefore)
        let next = now + delay
        if let expiresAt, next >= expiresAt { return .expired }
        return .at(next)
    }
}
