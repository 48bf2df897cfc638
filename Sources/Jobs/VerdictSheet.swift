import Runtime
public import Values

extension JobDesk {
    /// Writes back what the verdicts say, and counts and tells what they buried: the one way for
    /// kinds whose end needs nothing but the jobs table.
    ///
    /// - Parameter label: what the metric calls the kind of a job that was buried.
    public func settle(
        _ verdicts: [(ClaimedJob, JobVerdict)], of batch: JobBatch, policy: JobPolicy,
        label: (ClaimedJob) -> String = { $0.kind }
    ) async {
        let sheet = VerdictSheet(
            verdicts, policy: policy, at: batch.clock.time(at: .now),
            jitter: { .random(in: 0..<1) })
        // To write nothing succeeds while the database is away, and would say that it is back.
        if !sheet.finished.isEmpty {
            await write(batch) { queue, deadline in
                try await queue.finish(sheet.finished, deadline: deadline)
            }
        }
        if !sheet.postponed.isEmpty {
            await write(batch) { queue, deadline in
                try await queue.postpone(sheet.postponed, deadline: deadline)
            }
        }
        guard !sheet.buried.isEmpty else { return }
        let buried = await write(batch) { queue, deadline in
            try await queue.bury(sheet.buried, deadline: deadline)
        }
        let jobs = Dictionary(verdicts.map { ($0.0.id, $0.0) }) { first, _ in first }
        for burial in sheet.buried where buried?.contains(burial.job.id) == true {
            let job = jobs[burial.job.id]
            let kind = job?.kind ?? ""
            metrics.buried.add(1, job.map(label) ?? "", burial.reason)
            (job.map { log.about($0) } ?? log.with(["job": .id(burial.job.id)])).warning(
                "job buried", ["kind": .text(kind), "reason": .text(burial.reason)])
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
