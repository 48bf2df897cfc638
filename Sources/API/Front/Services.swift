public import Runtime
public import Values

/// What the endpoints stand on.
public struct Services: Sendable {
    public let door: Door
    public let tokens: Tokens
    public let cursors: CursorSigner
    public let rates: RateLimiter
    public let limits: Limits
    public let log: Log
    public let metrics: Metrics
    /// The wall clock.
    public let now: @Sendable () -> Timestamp
    /// Why requests can not be served now, in words for an operator; nil when they can.
    public let obstacle: @Sendable (Deadline) async -> String?
    /// Never false in a server: a test turns it off to see that row-level security alone keeps
    /// stores apart.
    let checksAuthority: Bool

    /// How often callers may ask.
    public struct Limits: Sendable {
        /// Per session, or per API token.
        public let requests: RatePolicy
        /// Per store; each event of a batch counts.
        public let events: RatePolicy
        /// Per device.
        public let deviceTests = RatePolicy("device-test", quota: 5, window: .seconds(60))

        /// - Parameters: 0 is no limit.
        public init(requestsPerMinute: Int, eventsPerSecond: Int, eventsBurst: Int) {
            requests = RatePolicy("requests", quota: requestsPerMinute, window: .seconds(60))
            let burst = eventsPerSecond == 0 ? 0 : max(eventsBurst, eventsPerSecond)
            events = RatePolicy(
                "events", quota: burst,
                window: .seconds(Double(burst) / Double(max(1, eventsPerSecond))))
        }
    }

    public init(
        door: Door, secret: Secret<String>,
        limits: Limits, log: Log, metrics: Metrics,
        rates: RateLimiter = RateLimiter(),
        now: @escaping @Sendable () -> Timestamp = Timestamp.now,
        obstacle: @escaping @Sendable (Deadline) async -> String?
    ) {
        self.init(
            door: door, secret: secret, limits: limits, log: log,
            metrics: metrics, rates: rates, now: now, obstacle: obstacle, checksAuthority: true)
    }

    init(
        door: Door, secret: Secret<String>,
        limits: Limits, log: Log, metrics: Metrics, rates: RateLimiter,
        now: @escaping @Sendable () -> Timestamp,
        obstacle: @escaping @Sendable (Deadline) async -> String?, checksAuthority: Bool
    ) {
        self.door = door
        tokens = Tokens(secret: secret)
        cursors = CursorSigner(secret: secret)
        self.rates = rates
        self.limits = limits
        self.log = log
        self.metrics = metrics
        self.now = now
        self.obstacle = obstacle
        self.checksAuthority = checksAuthority
    }
}
