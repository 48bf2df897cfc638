/// A moment of the monotonic clock until which something may take.
///
/// Deadlines are made once, at the border that promises a time, and handed down; a callee never
/// invents a longer one.
public struct Deadline: Hashable, Sendable, Comparable {
    /// The moment itself, for clocks and timers.
    public let instant: ContinuousClock.Instant

    public init(_ instant: ContinuousClock.Instant) {
        self.instant = instant
    }

    /// So long from now.
    public static func after(_ duration: Duration) -> Deadline {
        Deadline(ContinuousClock.now + duration)
    }

    /// What is left; zero once it has passed.
    public var remaining: Duration {
        max(.zero, instant - ContinuousClock.now)
    }

    public var hasPassed: Bool { instant <= ContinuousClock.now }

    /// Whole milliseconds left, rounded up and at most `Int32.max`, as poll(2) wants them.
    public var pollMilliseconds: Int32 {
        let (seconds, attoseconds) = remaining.components
        let milliseconds =
            seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(clamping: milliseconds)
    }

    public static func < (left: Deadline, right: Deadline) -> Bool { left.instant < right.instant }
}
