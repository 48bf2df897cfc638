public import Alerts
import HTTP2

/// What came of one push.
public struct PushResult: Sendable, Equatable {
    public let outcome: ProviderOutcome
    /// 2 when the push was repeated with a new token or on a new connection; 0 when no token for it
    /// was to be had.
    public let requests: Int
    /// Whether the provider may have it. False is certain: it was not sent.
    public let mayHaveArrived: Bool
    /// False when the time by which it, or its repeat, had to start has passed. Nothing was heard
    /// of the provider then: the outcome is none, and the push may be tried as if it had not been.
    public let hasStarted: Bool

    public init(
        outcome: ProviderOutcome, requests: Int, mayHaveArrived: Bool, hasStarted: Bool = true
    ) {
        self.hasStarted = hasStarted
        self.outcome = outcome
        self.requests = requests
        self.mayHaveArrived = mayHaveArrived
    }

    /// What came of the last request for it.
    init(
        _ outcome: ProviderOutcome, of result: Result<HTTP2Response, HTTP2Failure>,
        requests: Int
    ) {
        let failure: HTTP2Failure? = if case .failure(let failure) = result { failure } else { nil }
        self.init(
            outcome: outcome, requests: requests,
            mayHaveArrived: failure?.mayHaveArrived ?? true, hasStarted: failure != .notStarted)
    }

    /// The provider's status; 0 without an answer.
    public var status: Int { outcome.word?.status ?? 200 }
    /// The provider's reason or ours; nil for an acceptance.
    public var reason: String? { outcome.word?.reason }
    /// APNs the `apns-id`, FCM the whole `name`.
    public var messageID: String? {
        if case .accepted(let id) = outcome { id } else { nil }
    }
}
