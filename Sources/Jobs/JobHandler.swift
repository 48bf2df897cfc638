public import Runtime
public import Values

/// What works on jobs. A runner hands it the jobs of one claim.
public protocol JobHandler: Sendable {
    /// Works on the batch. Every job of it ends by a write-back (finish, postpone, bury), and
    /// `desk.release` is called for each once that is done. It may return before that.
    ///
    /// No transaction is open while it works. What it has not started when `desk.isStopping` or
    /// when the lease does not outlast the work, it gives back.
    func work(_ batch: JobBatch, desk: JobDesk) async

    /// Says, after each claim, whether the lanes of the handler's credential were open for the
    /// claim that was sent at `time`, and since when: other workers close and open them too.
    func follow(isOpen: Bool, since openSince: Timestamp?, asOf time: ContinuousClock.Instant)

    /// Asks whether a paused credential is accepted again, without touching anybody's job.
    func probe(_ credential: Credential) async -> Bool
}

extension JobHandler {
    public func follow(
        isOpen: Bool, since openSince: Timestamp?, asOf time: ContinuousClock.Instant
    ) {}

    public func probe(_ credential: Credential) async -> Bool { true }
}

/// The jobs of one claim, free of poison.
public struct JobBatch: Sendable {
    public let jobs: [ClaimedJob]
    /// When the lease ends on this process' clock.
    public let leaseEnds: Deadline
    public let clock: DatabaseClock
    /// The one job by which a broken credential is tried: its failure costs it nothing.
    public let isProbe: Bool
    /// The store that floods, when nearly all of the jobs are its and others are about.
    public package(set) var flood: StoreID?

    /// When the claim was sent.
    public var claimedAt: ContinuousClock.Instant { clock.instant }

    public init(
        jobs: [ClaimedJob], leaseEnds: Deadline, clock: DatabaseClock, isProbe: Bool,
        flood: StoreID? = nil
    ) {
        self.jobs = jobs
        self.leaseEnds = leaseEnds
        self.clock = clock
        self.isProbe = isProbe
        self.flood = flood
    }

    /// The same jobs under a lease that was renewed.
    public func leased(until leaseEnds: Deadline) -> JobBatch {
        JobBatch(jobs: jobs, leaseEnds: leaseEnds, clock: clock, isProbe: isProbe, flood: flood)
    }
}
