public import Values

/// The wall clock, which a test replaces: tokens are dated by it, since the providers judge them by
/// theirs.
public struct PushClock: Sendable {
    public let now: @Sendable () -> Timestamp

    public init(now: @escaping @Sendable () -> Timestamp) {
        self.now = now
    }

    public static let system = PushClock { .now() }
}
