/// Counts failures in a row of one provider environment, and opens at the third.
///
/// A failure is a server fault or no answer, of whichever push; any other answer starts the count
/// over. Each worker counts for itself; that it opened is written where all see it.
public struct Breaker: Sendable, Equatable {
    /// How many failures in a row open it.
    public static let threshold = 3

    /// Failures in a row, as far as this worker knows.
    public private(set) var failures = 0
    /// Whether pushes wait but for a probe.
    public private(set) var isOpen = false

    /// Closed.
    public init() {}

    /// An edge of the breaker.
    public enum Change: Sendable, Equatable {
        /// From now on pushes wait but for a probe.
        case opened
        /// From now on pushes go out again.
        case closed
    }

    /// Takes in an answer. Returns the edge, if this answer is one.
    ///
    /// - Parameter known: failures in a row, this one counted, that are known from elsewhere.
    public mutating func note(_ outcome: ProviderOutcome, known: Int = 1) -> Change? {
        guard outcome.isFailure else {
            failures = 0
            defer { isOpen = false }
            return isOpen ? .closed : nil
        }
        failures = min(max(failures + 1, known), Self.threshold)
        guard failures == Self.threshold, !isOpen else { return nil }
        isOpen = true
        return .opened
    }

    /// Another worker opened or closed it.
    public mutating func follow(isOpen: Bool) {
        self.isOpen = isOpen
        if !isOpen { failures = 0 }
    }
}
