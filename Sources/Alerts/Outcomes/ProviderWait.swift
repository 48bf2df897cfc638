/// What a push waits for its next try at least: what its provider asked for, apart from what we
/// impose where it asked for less or for nothing.
public struct ProviderWait: Sendable, Equatable {
    /// The whole wait.
    public let duration: Duration
    /// What the provider asked for with `Retry-After`; nil where it named no wait.
    public let asked: Duration?

    /// As long as the provider asked for.
    public static func asked(_ wait: Duration) -> ProviderWait {
        ProviderWait(duration: wait, asked: wait)
    }

    /// As long as we impose, or longer where the provider asked for more.
    public static func atLeast(_ least: Duration, asked: Duration? = nil) -> ProviderWait {
        ProviderWait(duration: max(least, asked ?? .zero), asked: asked)
    }
}
