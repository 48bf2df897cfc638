import Runtime

/// How many jobs a runner may have in hand, how many it has, and whether one of them is a suspect.
public final class JobSlots: Sendable {
    public let total: Int
    private struct InHand {
        var count = 0
        /// Each under its lease: a job that was lost here may be claimed here again.
        var suspects: Set<HeldJob> = []
    }

    private let inHand = Lock(InHand())
    private let idle = JobBell()
    private let bell: JobBell
    private let ringsFrom: Int

    /// - Parameter ringsFrom: releases ring the bell when at least so many are free.
    public init(total: Int, ringsFrom: Int, bell: JobBell) {
        self.total = total
        self.ringsFrom = ringsFrom
        self.bell = bell
    }

    public var taken: Int { inHand.withLock { $0.count } }
    public var free: Int { max(0, total - taken) }

    /// Whether a suspect is in hand: then no other is to be claimed.
    package var haveSuspect: Bool { inHand.withLock { !$0.suspects.isEmpty } }

    func take(_ jobs: [ClaimedJob]) {
        inHand.withLock { inHand in
            inHand.count += jobs.count
            for job in jobs where job.isSuspect { inHand.suspects.insert(job.held) }
        }
    }

    /// Says that the jobs have ended and are written back.
    public func release(_ jobs: some Collection<HeldJob>) {
        guard !jobs.isEmpty else { return }
        let (taken, freesSuspects) = inHand.withLock { inHand in
            inHand.count -= jobs.count
            guard !inHand.suspects.isEmpty else { return (inHand.count, false) }
            inHand.suspects.subtract(jobs)
            return (inHand.count, inHand.suspects.isEmpty)
        }
        if taken <= 0 { idle.ring() }
        // The next suspect may be waiting for this one's end.
        if total - taken >= ringsFrom || freesSuspects { bell.ring() }
    }

    /// Returns once nothing is in hand, or when the task is cancelled: the grace is over then, and
    /// what is still out there comes back by its lease.
    func waitUntilIdle() async {
        while taken > 0, !Task.isCancelled { await idle.wait(until: .after(.seconds(1))) }
    }
}
