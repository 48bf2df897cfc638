/// How often and how far apart a push of a kind is tried.
public struct RetryPolicy: Sendable, Equatable {
    /// Requests in all, the first one counted.
    public var attempts = 5
    /// The wait between two of them.
    public var backoff = Backoff()

    public init(attempts: Int = 5, backoff: Backoff = Backoff()) {
        self.attempts = attempts
        self.backoff = backoff
    }
}
