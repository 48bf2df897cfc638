import Runtime
public import Values

/// The time by which tokens are dated, since the providers judge them by theirs.
public struct PushClock: Sendable {
    public let now: @Sendable () -> Timestamp

    public init(now: @escaping @Sendable () -> Timestamp) {
        self.now = now
    }

    /// This machine's clock.
    public static let system = PushClock { .now() }

    /// The middle one of three: this machine's clock, the same as it stood when this was made and
    /// carried on by one that nobody can set, and another machine's. So whichever of them jumps is
    /// outvoted: a machine set wrong while the process runs, one that was wrong when it started and
    /// was put right, and the other machine.
    public static func steady(
        besides other: @escaping @Sendable () -> Timestamp,
        system: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) -> PushClock {
        let (time, start) = (system(), ContinuousClock.now)
        return PushClock {
            let carried = time + (ContinuousClock.now - start)
            let (own, others) = (system(), other())
            return max(min(own, carried), min(max(own, carried), others))
        }
    }
}
