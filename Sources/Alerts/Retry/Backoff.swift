import Values

/// The wait between two attempts: doubling, capped, and spread so that what failed together does
/// not come back together.
public struct Backoff: Sendable, Equatable {
    /// The wait after the first failed attempt, before it is spread.
    public var base: Duration
    /// The longest wait, before it is spread.
    public var cap: Duration

    public init(base: Duration = .seconds(2), cap: Duration = .seconds(300)) {
        self.base = base
        self.cap = cap
    }

    /// The wait after a failed attempt: `min(cap, base * 2^(attempt-1))` scaled by a factor between
    /// one half and one.
    ///
    /// - Parameters:
    ///   - attempt: which attempt failed, counted from 1; any number is safe
    ///   - random: from 0 to 1
    ///   - floor: what the provider asked for; the wait is never shorter
    public func delay(
        after attempt: Int, random: Double, floor: Duration? = nil
    ) -> Duration {
        let capped = min(cap.microseconds, doubled(attempt))
        let factor = 0.5 + 0.5 * min(1, max(0, random))
        let delay = Duration.microseconds(max(1, Int64(Double(capped) * factor)))
        return max(delay, floor ?? .zero)
    }

    /// The doubling stops before the shift or the product could overflow.
    private func doubled(_ attempt: Int) -> Int64 {
        let shift = min(max(1, attempt) - 1, 40)
        let (product, overflow) = max(1, base.microseconds)
            .multipliedReportingOverflow(by: 1 << Int64(shift))
        return overflow ? .max : product
    }
}
