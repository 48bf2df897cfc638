public import Runtime

/// What works on jobs. A runner hands it the jobs of one claim.
public protocol JobHandler: Sendable {
    /// Works on the batch. Every job of it ends by a write-back (finish, postpone, bury), and
    /// `desk.release` is called for each once that is done. It may return before that.
    ///
    /// No transaction is open while it works. What it has not started when `desk.isStopping` or when
    /// the lease does not outlast the work, it gives back.
    func work(_ batch: JobBatch, desk: JobDesk) async

    /// Asks whether a paused credential is accepted again, without touching anybody's job.
    func probe(_ credential: Credential) async -> Bool
}

extension JobHandler {
    public func probe(_ credential: Credential) async -> Bool { true }
}

/// The jobs of one claim, free of poison.
public struct JobBatch: Sendable {
    public let jobs: [ClaimedJob]
    /// When the lease ends on this process' clock.
    public let leaseEnds: Deadline
    /// The one job by which a broken credential is tried: its failure costs it nothing.
    public let isProbe: Bool

    public init(jobs: [ClaimedJob], leaseEnds: Deadline, isProbe: Bool) {
        self.jobs = jobs
        self.leaseEnds = leaseEnds
        self.isProbe = isProbe
    }
}

/// What a handler has at hand of its runner.
public struct JobDesk: Sendable {
    public let queue: JobQueue
    let slots: JobSlots
    let shutdown: Shutdown
    let metrics: JobMetrics

    /// True once the process was asked to end: nothing is started any more.
    public var isStopping: Bool { shutdown.hasBegun }

    public func release(_ count: Int) { slots.release(count) }

    /// Counts results that were dropped since another worker had taken over.
    public func countFenced(_ count: Int) {
        if count > 0 { metrics.fenced.add(Double(count)) }
    }
}
