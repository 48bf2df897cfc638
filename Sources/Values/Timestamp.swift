import Glibc

/// A moment in microseconds since 1970-01-01T00:00:00Z: the precision of PostgreSQL's timestamptz,
/// so that a time goes to the database and comes back as it was.
public struct Timestamp: Hashable, Sendable {
    /// Since 1970-01-01T00:00:00Z, negative before it.
    public let microseconds: Int64

    /// Since 1970-01-01T00:00:00Z, negative before it.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Whole seconds since 1970-01-01T00:00:00Z; what microseconds cannot count stops the
    /// program.
    public init(seconds: Int64) {
        self.microseconds = seconds * 1_000_000
    }

    /// The wall clock. Pure code takes a `Timestamp` instead of asking for one.
    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(
            microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// Whole seconds, rounded down.
    public var seconds: Int64 {
        // Not by subtracting first: that overflows for the earliest time.
        microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0)
    }

    /// Durations count to the microsecond; a result beyond the ends of time stops the program, as
    /// the next ones.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(microseconds: time.microseconds + duration.microseconds)
    }

    public static func - (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(microseconds: time.microseconds - duration.microseconds)
    }

    /// Negative when `later` is the earlier one.
    public static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        .microseconds(later.microseconds - earlier.microseconds)
    }
}

extension Timestamp: Comparable {
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}

extension Duration {
    /// Whole microseconds, rounded towards zero.
    public var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }

    /// Whole milliseconds, rounded towards zero.
    public var milliseconds: Int64 { microseconds / 1000 }

    /// Seconds with their fraction, for metrics and log lines.
    public var secondsAsDouble: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
