public import Values

/// The database's time as this process knows it from a claim: the one clock that all workers share,
/// however theirs are set. It runs ahead by at most the time that the claim took.
public struct DatabaseClock: Sendable {
    private let time: Timestamp
    /// This process' monotonic time from before the database was asked.
    let instant: ContinuousClock.Instant

    /// - Parameters:
    ///   - time: what the database said.
    ///   - instant: this process' monotonic time from before it was asked.
    public init(_ time: Timestamp, at instant: ContinuousClock.Instant) {
        self.time = time
        self.instant = instant
    }

    /// What the database's clock shows at that instant, which may lie before the claim.
    public func time(at now: ContinuousClock.Instant) -> Timestamp { time + (now - instant) }
}
