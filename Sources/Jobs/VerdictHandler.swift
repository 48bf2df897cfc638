import Runtime
public import Values

/// Works on kinds whose end needs nothing but the jobs table: the work answers with a verdict for
/// each job, and the rest is policy.
public struct VerdictHandler: JobHandler {
    private let policy: JobPolicy
    private let judge: @Sendable (JobBatch, JobDesk) async -> [JobVerdict]

    /// - Parameter judge: one verdict for each job of the batch, in order.
    public init(
        policy: JobPolicy,
        judge: @escaping @Sendable (JobBatch, JobDesk) async -> [JobVerdict]
    ) {
        self.policy = policy
        self.judge = judge
    }

    public func work(_ batch: JobBatch, desk: JobDesk) async {
        defer { desk.release(batch) }
        let verdicts = await judge(batch, desk)
        let sheet = VerdictSheet(
            zip(batch.jobs, verdicts), policy: policy, at: .now(), jitter: { .random(in: 0..<1) })
        await desk.write(batch) { queue, deadline in
            try await queue.finish(sheet.finished, deadline: deadline)
        }
        await desk.write(batch) { queue, deadline in
            try await queue.postpone(sheet.postponed, deadline: deadline)
        }
        await desk.write(batch) { queue, deadline in
            try await queue.bury(sheet.buried, deadline: deadline)
        }
        for (job, verdict) in zip(batch.jobs, verdicts) {
            guard case .bury(let reason, _) = verdict else { continue }
            desk.metrics.buried.add(1, job.kind, reason)
        }
    }
}

/// What the verdicts of a batch mean for the jobs table, as a value.
public struct VerdictSheet: Sendable {
    public var finished: [HeldJob] = []
    public var postponed: [Postponement] = []
    public var buried: [Burial] = []

    /// - Parameter jitter: gives a random number in 0..<1 for each retry.
    public init(
        _ pairs: some Sequence<(ClaimedJob, JobVerdict)>, policy: JobPolicy, at now: Timestamp,
        jitter: () -> Double
    ) {
        for (job, verdict) in pairs {
            switch verdict {
            case .done: finished.append(job.held)
            case .written: break
            case .snooze(let wait):
                postponed.append(Postponement(job: job.held, wait: wait, countsAsAttempt: false))
            case .bury(let reason, let counts):
                buried.append(
                    Burial(
                        job: job.held, reason: reason, countsAsAttempt: counts,
                        attempt: counts
                            ? Attempt(at: now, status: nil, reason: reason).encoded : nil))
            case .retry(let reason):
                let attempt = Attempt(at: now, status: nil, reason: reason).encoded
                let number = job.attempts + 1
                if number >= policy.attempts {
                    buried.append(
                        Burial(
                            job: job.held, reason: reason, countsAsAttempt: true, attempt: attempt))
                } else {
                    postponed.append(
                        Postponement(
                            job: job.held, wait: policy.backoff(number, jitter()),
                            countsAsAttempt: true, reason: reason, attempt: attempt))
                }
            }
        }
    }
}
