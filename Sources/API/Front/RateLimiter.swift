import Runtime
import Values

/// So many in a window, as a bucket that refills evenly; a quota of 0 is no limit.
public struct RatePolicy: Sendable, Equatable {
    /// Names it in the headers, as `requests`.
    public let name: String
    public let quota: Int
    public let window: Duration

    public init(_ name: String, quota: Int, window: Duration) {
        self.name = name
        self.quota = quota
        self.window = window
    }

    /// `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers.
    var header: String { "\"\(name)\";q=\(quota);w=\(max(1, window.components.seconds))" }
}

/// What a limiter said.
public struct RateDecision: Sendable, Equatable {
    public let policy: RatePolicy
    public let isAllowed: Bool
    public let remaining: Int
    /// Whole seconds until the bucket is full again.
    public let reset: Int
    /// Whole seconds until the same would be allowed; 0 when it is.
    public let retryAfter: Int

    /// `RateLimit` of the same draft.
    var header: String { "\"\(policy.name)\";r=\(remaining);t=\(reset)" }
}

/// Token buckets in memory, of this process alone. They run on the monotonic clock, so a clock that
/// is set back gives nobody anything.
public final class RateLimiter: Sendable {
    private struct Key: Hashable {
        let policy: String
        let subject: [UInt8]
    }

    private struct Bucket {
        var tokens: Double
        var at: ContinuousClock.Instant
        var fullAt: ContinuousClock.Instant
    }

    private struct State {
        var buckets: [Key: Bucket] = [:]
        var subjects: [[UInt8]: UUID] = [:]
        var sweepAt = 10_000
    }

    private let state = Lock(State())
    private let now: @Sendable () -> ContinuousClock.Instant

    public init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// Takes `cost` from the subject's bucket, or nothing when it holds less. What costs more than
    /// a full bucket costs a full one.
    ///
    /// - Returns: nil when the policy sets no limit.
    public func take(_ policy: RatePolicy, of subject: [UInt8], cost: Int = 1) -> RateDecision? {
        guard policy.quota > 0 else { return nil }
        let time = now()
        return state.withLock { state in
            Self.sweep(&state, time)
            return Self.take(
                &state.buckets[
                    Key(policy: policy.name, subject: subject),
                    default: Bucket(tokens: Double(policy.quota), at: time, fullAt: time)],
                policy, Double(min(cost, policy.quota)), time)
        }
    }

    private static func take(
        _ bucket: inout Bucket, _ policy: RatePolicy, _ cost: Double,
        _ time: ContinuousClock.Instant
    ) -> RateDecision {
        let rate = Double(policy.quota) / max(0.001, policy.window.secondsAsDouble)
        let elapsed = max(.zero, time - bucket.at).secondsAsDouble
        bucket.tokens = min(Double(policy.quota), bucket.tokens + elapsed * rate)
        bucket.at = max(bucket.at, time)
        // Refilling adds fractions: a hair below a whole token is that token.
        let isAllowed = bucket.tokens + 1e-9 >= cost
        if isAllowed { bucket.tokens = max(0, bucket.tokens - cost) }
        let reset = (Double(policy.quota) - bucket.tokens) / rate
        bucket.fullAt = bucket.at + .seconds(reset)
        return RateDecision(
            policy: policy, isAllowed: isAllowed, remaining: Int(bucket.tokens + 1e-9),
            reset: Int(reset.rounded(.up)),
            retryAfter: isAllowed ? 0 : max(1, Int(((cost - bucket.tokens) / rate).rounded(.up))))
    }

    /// Forgets full buckets, which say nothing, when there are many.
    private static func sweep(_ state: inout State, _ time: ContinuousClock.Instant) {
        guard state.buckets.count >= state.sweepAt else { return }
        state.buckets = state.buckets.filter { $0.value.fullAt > time }
        state.sweepAt = max(10_000, state.buckets.count * 2)
    }

    // MARK: Subjects

    /// Whose a credential was when it was last seen: enough to count, never enough to let in.
    func subject(of credential: PresentedToken) -> UUID? {
        state.withLock { $0.subjects[credential.hash] }
    }

    func remember(_ credential: PresentedToken, as subject: UUID) {
        state.withLock { state in
            if state.subjects.count >= 100_000 { state.subjects = [:] }
            state.subjects[credential.hash] = subject
        }
    }
}
