/// Keeps a wrong topic, key or project from emptying the table of devices.
///
/// One per provider environment. Ten answers without an acceptance between that say "not your
/// device" are taken for a fault of ours: from then on devices are kept, until a push is accepted.
public struct MismatchGuard: Sendable, Equatable {
    /// How many mismatches in a row trip it.
    public static let threshold = 10
    /// The reason of the pause.
    public static let reason = "device_mismatch"

    /// Mismatches since the last acceptance.
    public private(set) var inARow = 0

    /// Not tripped.
    public init() {}

    /// Whether the environment counts as wrongly configured.
    public var isTripped: Bool { inARow >= Self.threshold }

    /// Takes in an answer and says how it is to be treated: a mismatch beyond the guard keeps its
    /// device. `trips` is true at the answer that trips it.
    public mutating func note(
        _ outcome: ProviderOutcome
    ) -> (outcome: ProviderOutcome, trips: Bool) {
        if case .accepted = outcome { inARow = 0 }
        guard outcome.isMismatch else { return (outcome, false) }
        let wasTripped = isTripped
        inARow = min(inARow + 1, Self.threshold)
        return (isTripped ? outcome.keepingDevice : outcome, isTripped && !wasTripped)
    }
}
