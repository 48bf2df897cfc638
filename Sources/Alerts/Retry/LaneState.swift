public import Values

/// Whether the lanes of one provider environment are served, as it stands in the database.
public enum LaneState: Sendable, Equatable {
    case open
    /// The provider does not answer: one push probes it now and then.
    case broken(Probing)
    /// The credentials were refused: the doctor's own request probes them.
    case paused(Probing, reason: String)
    /// No credentials.
    case off

    /// Since when, and when the next probe is due.
    public struct Probing: Sendable, Equatable {
        public let since: Timestamp
        /// Probes that failed.
        public let failures: Int
        public let next: Timestamp

        public init(since: Timestamp, failures: Int, next: Timestamp) {
            self.since = since
            self.failures = failures
            self.next = next
        }
    }

    /// The word of the API.
    public var name: String {
        switch self {
        case .open: "open"
        case .broken: "broken"
        case .paused: "paused"
        case .off: "off"
        }
    }

    /// Whether ordinary pushes go out.
    public var isServed: Bool { self == .open }

    /// Whether a probe is due.
    public func isProbeDue(at now: Timestamp) -> Bool {
        switch self {
        case .broken(let probing), .paused(let probing, _): probing.next <= now
        case .open, .off: false
        }
    }
}

/// How often what is broken or paused is probed.
public struct ProbePolicy: Sendable, Equatable {
    /// Between two probes of a provider that does not answer.
    public var broken: Duration
    /// The first pause of refused credentials; it doubles up to the cap.
    public var pauseBase: Duration
    public var pauseCap: Duration

    public init(
        broken: Duration = .seconds(5), pauseBase: Duration = .seconds(60),
        pauseCap: Duration = .seconds(900)
    ) {
        self.broken = broken
        self.pauseBase = pauseBase
        self.pauseCap = pauseCap
    }

    /// The wait before the next probe of refused credentials, after so many that failed.
    public func pause(afterFailures failures: Int) -> Duration {
        // Doubling ten times passes any cap.
        min(pauseCap, pauseBase * (1 << min(max(0, failures), 10)))
    }
}

extension LaneState {
    /// The provider stopped answering.
    public static func breaking(at now: Timestamp, _ policy: ProbePolicy) -> LaneState {
        .broken(Probing(since: now, failures: 0, next: now + policy.broken))
    }

    /// The credentials were refused.
    public static func pausing(
        at now: Timestamp, reason: String, _ policy: ProbePolicy
    ) -> LaneState {
        .paused(
            Probing(since: now, failures: 0, next: now + policy.pause(afterFailures: 0)),
            reason: reason)
    }

    /// The state after a probe. A broken lane opens at any answer that is no failure, a paused one
    /// when its credentials are good; refused credentials turn a broken lane into a paused one.
    public func probed(
        _ outcome: ProviderOutcome, at now: Timestamp, _ policy: ProbePolicy
    ) -> LaneState {
        switch (self, outcome) {
        case (.open, _), (.off, _): self
        case (.broken(let probing), .retry):
            .broken(probing.failed(next: now + policy.broken))
        case (.broken, .credentialsRefused(let word, _)):
            .pausing(at: now, reason: word.reason, policy)
        case (.paused(let probing, _), .credentialsRefused(let word, _)):
            .paused(probing.failed(at: now, policy), reason: word.reason)
        case (.paused(let probing, let reason), .retry),
            (.paused(let probing, let reason), .throttled):
            .paused(probing.failed(at: now, policy), reason: reason)
        case (.broken, _), (.paused, _): .open
        }
    }
}

extension LaneState.Probing {
    fileprivate func failed(next: Timestamp) -> LaneState.Probing {
        LaneState.Probing(since: since, failures: failures + 1, next: next)
    }

    fileprivate func failed(at now: Timestamp, _ policy: ProbePolicy) -> LaneState.Probing {
        failed(next: now + policy.pause(afterFailures: failures + 1))
    }
}
