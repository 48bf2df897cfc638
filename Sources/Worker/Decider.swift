import Alerts
import Jobs
import Postgres
import Runtime
import Storage
import Values

/// `alerts.decide`: who hears an alert. A batch of alerts takes one round trip of facts and one
/// fenced transaction; an audience over the chunk's size takes one transaction a chunk.
struct Decider: JobHandler {
    let pool: PostgresPool
    let senders: Senders
    let settings: WorkerSettings
    let metrics: WorkerMetrics
    /// Called with the lanes of pushes that were committed.
    let added: @Sendable (Set<LaneID>) -> Void

    /// Alerts of one transaction of a flood. Each brings a push for every phone of its store's
    /// staff.
    static let floodBatch = 8

    func work(_ batch: JobBatch, desk: JobDesk) async {
        defer { desk.release(batch) }
        let read = batch.jobs.map { ($0, DecideJob($0)) }
        await bury(read.filter { $0.1 == nil }.map(\.0), batch, desk)
        let parts = Self.parts(read.compactMap(\.1), batch.flood)
        for (index, part) in parts.enumerated() {
            guard let left = await work(part, batch, desk) else { continue }
            let jobs = (left.jobs + parts[(index + 1)...].joined()).map(\.job)
            guard let error = left.error else { return await giveBack(jobs, batch, desk) }
            return await again(jobs, error, batch, desk)
        }
    }

    /// What is decided in one transaction: all of it, or those of the others and then the flood's,
    /// some at a time.
    private static func parts(_ jobs: [DecideJob], _ flood: StoreID?) -> [[DecideJob]] {
        guard let flood else { return [jobs] }
        let others = jobs.filter { $0.job.store != flood }
        let own = jobs.filter { $0.job.store == flood }
        let parts = stride(from: 0, to: own.count, by: floodBatch).map {
            Array(own[$0..<min($0 + floodBatch, own.count)])
        }
        return others.isEmpty ? parts : [others] + parts
    }

    /// What cannot be decided now, and why if something failed.
    private typealias Left = (jobs: [DecideJob], error: (any Error)?)

    /// What is begun in the second half of the lease might not end within it.
    private func mayBegin(_ batch: JobBatch, _ desk: JobDesk) -> Bool {
        !desk.isStopping && .now < batch.claimedAt + settings.lease / 2
    }

    /// - Returns: what is left of the part when the batch cannot go on.
    private func work(
        _ part: [DecideJob], _ batch: JobBatch, _ desk: JobDesk
    ) async -> Left? {
        guard mayBegin(batch, desk) else { return (part, nil) }
        var large: [(job: DecideJob, facts: DecideFacts)] = []
        do {
            large = try await decide(part, batch, desk)
        } catch  where isAway(error) {
            return (part, error)
        } catch  where part.count == 1 {
            await again(part.map(\.job), error, batch, desk)
        } catch {
            // One of them is at fault: each goes alone.
            desk.log.about(part.map(\.job)).warning(
                "deciding a batch failed", ["error": "\(error)"])
            for job in part {
                do {
                    large += try await decide([job], batch, desk)
                } catch {
                    await again([job.job], error, batch, desk)
                }
            }
        }
        for (index, (job, facts)) in large.enumerated() {
            guard mayBegin(batch, desk) else { return (large[index...].map(\.job), nil) }
            await decideInChunks(job, facts, batch, desk)
        }
        return nil
    }

    /// Decides those whose audience fits a chunk together.
    ///
    /// - Returns: the others, undecided.
    private func decide(
        _ jobs: [DecideJob], _ batch: JobBatch, _ desk: JobDesk
    ) async throws -> [(job: DecideJob, facts: DecideFacts)] {
        let start = ContinuousClock.now
        let facts = try await load(jobs.map { $0.request(after: $0.cursor?.after) })
        metrics.stepSeconds.observe(
            (ContinuousClock.now - start).secondsAsDouble, "decide_facts")
        var small: [DecidedAlert] = []
        var large: [(job: DecideJob, facts: DecideFacts)] = []
        var strayed: [ClaimedJob] = []
        for (job, facts) in zip(jobs, facts) {
            guard let facts else {
                strayed.append(job.job)
                continue
            }
            if facts.next != nil || job.cursor != nil {
                large.append((job, facts))
            } else if let decided = deciding(job, isLarge: false).decide(job, facts) {
                small.append(decided)
            } else {
                strayed.append(job.job)
            }
        }
        await bury(strayed, batch, desk)
        try await save(small, batch, desk)
        return large
    }

    private func save(
        _ decided: [DecidedAlert], _ batch: JobBatch, _ desk: JobDesk
    ) async throws {
        guard !decided.isEmpty else { return }
        let start = ContinuousClock.now
        let ended = try await Decisions.save(
            decided, pool: pool, deadline: min(batch.leaseEnds, .after(.seconds(10))))
        metrics.stepSeconds.observe((ContinuousClock.now - start).secondsAsDouble, "decide_save")
        desk.countFenced(decided.count - ended.count)
        let kept = decided.filter { ended.contains($0.job.id) }
        announce(kept)
    }

    /// One transaction a chunk, from the cursor on; each renews the lease.
    private func decideInChunks(
        _ job: DecideJob, _ first: DecideFacts, _ batch: JobBatch, _ desk: JobDesk
    ) async {
        var held = batch
        do {
            try await decideInChunks(job, first, &held, desk)
        } catch {
            await again([job.job], error, held, desk)
        }
    }

    /// - Parameter held: its lease is renewed with the job's.
    private func decideInChunks(
        _ job: DecideJob, _ first: DecideFacts, _ held: inout JobBatch, _ desk: JobDesk
    ) async throws {
        var facts = first
        var part = job.cursor?.part ?? 0
        var heard = false
        while true {
            guard let decided = deciding(job, isLarge: true).decide(job, facts) else {
                return await bury([job.job], held, desk)
            }
            let cursor = facts.next.map {
                job.args(at: DecideJob.Cursor(after: $0, part: part + 1))
            }
            let leaseEnds = Deadline.after(settings.lease)
            let isOurs = try await Decisions.save(
                part: part, of: decided, cursor: cursor, lease: settings.lease, pool: pool,
                deadline: .after(.seconds(10)))
            guard isOurs else { return desk.countFenced(1) }
            held = held.leased(until: leaseEnds)
            added(Set(decided.pushes.map(\.lane)))
            count(decided.decisions)
            heard = heard || !decided.pushes.isEmpty
            guard let next = facts.next else { break }
            guard !desk.isStopping else { return await giveBack([job.job], held, desk) }
            guard let more = try await load([job.request(after: next)]).first ?? nil else {
                return await bury([job.job], held, desk)
            }
            facts = more
            part += 1
        }
        let kind = job.event.type.alert?.name ?? ""
        metrics.decided.add(1, kind)
        if !heard { metrics.unheard.add(1, kind) }
    }

    private func load(_ requests: [DecideRequest]) async throws -> [DecideFacts?] {
        try await DecideFacts.load(
            requests, chunk: settings.audienceChunk, pool: pool, deadline: .after(.seconds(5)),
            isConfigured: senders.isConfigured)
    }

    /// Audiences of more than one chunk are bulk work, whatever their kind.
    private func deciding(_ job: DecideJob, isLarge: Bool) -> Deciding {
        let isUrgent = !isLarge && job.event.type.alert?.urgency == .urgent
        return Deciding(isUrgent: isUrgent) { PushID(.v7()) }
    }

    private func announce(_ decided: [DecidedAlert]) {
        var lanes: Set<LaneID> = []
        for alert in decided {
            lanes.formUnion(alert.pushes.lazy.map(\.lane))
            metrics.decided.add(1, alert.alert.kind.name)
            if !alert.decisions.contains(where: { $0.verdict.isYes }) {
                metrics.unheard.add(1, alert.alert.kind.name)
            }
            count(alert.decisions)
        }
        added(lanes)
    }

    private func count(_ decisions: [MemberDecision]) {
        for (reason, group) in Dictionary(grouping: decisions, by: \.verdict.reason) {
            metrics.decisions.add(Double(group.count), reason.rawValue)
        }
    }
}

extension Decider {
    private func isAway(_ error: any Error) -> Bool {
        (error as? PostgresError)?.isUnavailable == true
    }

    /// While the database is away no attempt is spent; an error of the job itself spends one.
    private func again(
        _ jobs: [ClaimedJob], _ error: any Error, _ batch: JobBatch, _ desk: JobDesk
    ) async {
        desk.log.about(jobs).error("deciding failed", ["error": "\(error)"])
        let reason = (error as? PostgresError)?.code ?? "failed"
        let verdict: JobVerdict =
            isAway(error) ? .snooze(.milliseconds(500)) : .retry(reason: "decide_\(reason)")
        await desk.settle(
            jobs.map { ($0, verdict) }, of: batch, policy: settings.jobPolicy)
    }

    private func giveBack(_ jobs: [ClaimedJob], _ batch: JobBatch, _ desk: JobDesk) async {
        await desk.settle(
            jobs.map { ($0, .snooze(.zero)) }, of: batch, policy: settings.jobPolicy)
    }

    private func bury(_ jobs: [ClaimedJob], _ batch: JobBatch, _ desk: JobDesk) async {
        await desk.settle(
            jobs.map { ($0, .bury(reason: "undecodable", countsAsAttempt: false)) }, of: batch,
            policy: settings.jobPolicy)
    }
}
