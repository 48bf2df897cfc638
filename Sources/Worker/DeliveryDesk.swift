import Alerts
import Jobs
import Postgres
import Push
import Runtime
import Storage
import Values

/// Where the answers of one credential come in: the gate rules on each, and what follows is written
/// back in batches. Reached from the threads of the connections.
final class DeliveryDesk: Sendable {
    /// A result on its way into the database.
    private struct Landed: Sendable {
        let ending: PushEnding
        /// The alert of a push that is over without an acceptance.
        let silent: (job: JobID, store: StoreID, alert: AlertID)?
        let job: ClaimedJob
        let batch: JobBatch
        let jobs: JobDesk

        init(_ ending: PushEnding, of job: ClaimedJob, _ batch: JobBatch, _ jobs: JobDesk) {
            self.ending = ending
            self.job = job
            silent =
                ending.isSilent
                ? job.subject.map { (job.id, job.store, AlertID($0)) } : nil
            self.batch = batch
            self.jobs = jobs
        }
    }

    let metrics: WorkerMetrics
    private let credential: Credential
    private let settings: WorkerSettings
    private let pool: PostgresPool
    private let log: Log
    private let gate = Lock(ProviderGate())
    private let results: Batcher<Landed>

    init(
        credential: Credential, settings: WorkerSettings, pool: PostgresPool, log: Log,
        metrics: WorkerMetrics
    ) {
        self.credential = credential
        self.settings = settings
        self.pool = pool
        self.metrics = metrics
        let log = log.with(["credential": .id(credential)])
        self.log = log
        results = Batcher(size: settings.batch, delay: .milliseconds(3)) { landed in
            await Self.write(landed, credential.name, pool, metrics)
        }
    }

    /// Whether ordinary pushes may start.
    var isOpen: Bool { gate.withLock { $0.isOpen } }

    func follow(isOpen: Bool, since openSince: Timestamp?, asOf time: ContinuousClock.Instant) {
        gate.withLock { $0.follow(isOpen: isOpen, since: openSince, asOf: time) }
    }

    /// Takes results of pushes that were not sent.
    func add(
        _ endings: [(job: ClaimedJob, ending: PushEnding)], _ batch: JobBatch, _ jobs: JobDesk
    ) {
        for (job, ending) in endings { results.add(Landed(ending, of: job, batch, jobs)) }
    }

    /// Takes the answer to one push.
    func land(
        _ push: FlyingPush, _ result: PushResult, _ batch: JobBatch, _ jobs: JobDesk
    ) {
        guard result.hasStarted else {
            return add(
                [(push.job, .again(.late(push.job, "not_started")))], batch, jobs)
        }
        let ruling = gate.withLock {
            $0.note(
                result.outcome, isProbe: batch.isProbe, tries: push.job.tries,
                at: batch.clock.time(at: .now))
        }
        if let edge = ruling.edge { Task { await announce(edge, at: ruling.order, jobs) } }
        note(push, ruling, result)
        let ending = push.ending(
            of: ruling, random: .random(in: 0..<1), closedWait: settings.breakerProbe)
        results.add(Landed(ending, of: push.job, batch, jobs))
    }

    private func note(_ push: FlyingPush, _ ruling: ProviderGate.Ruling, _ result: PushResult) {
        if case .accepted = result.outcome {
            metrics.acceptance.observe(
                (ruling.at - push.job.raisedAt).secondsAsDouble, push.provider)
        } else if let word = result.outcome.word {
            let level: Log.Level = ruling.goesBack ? .debug : .warning
            guard level >= log.level else { return }
            log.about(push.job).write(
                level, "push not accepted",
                [
                    "device": .text(push.job.target?.description ?? ""),
                    "status": .count(word.status), "reason": .text(word.reason),
                    "attempt": .count(push.job.attempts + 1),
                ])
        }
    }

    /// Writes an edge where all workers see it: again and again, since until then the other workers
    /// go on, and this one keeps its gate closed.
    private func announce(
        _ edge: ProviderGate.Edge, at time: Timestamp, _ jobs: JobDesk
    ) async {
        let credential = credential
        let settings = settings
        let limit = Deadline.after(.seconds(60))
        let made = await jobs.write(until: limit) { queue, deadline in
            switch edge {
            case .breaks(let reason):
                try await queue.breakLanes(
                    of: credential, reason: reason, probeIn: settings.breakerProbe,
                    deadline: deadline)
            case .pauses(let reason):
                try await queue.pauseLanes(
                    of: credential, reason: reason, probeIn: settings.pauseBase,
                    deadline: deadline)
            case .closesBreaker:
                try await queue.openLanes(
                    of: credential, from: .broken, since: time, deadline: deadline)
            }
        }
        gate.withLock { $0.edgeWasWritten(at: .now) }
        guard made == true else { return }
        metrics.edges.add(1, credential.name, credential.environment, edge.name)
        switch edge {
        case .breaks(let reason), .pauses(let reason):
            log.error("lanes \(edge.name)", ["reason": .text(reason)])
        case .closesBreaker: log.info("lanes resume")
        }
    }

    /// One statement for each thing that can become of a push, at most. It is tried until the last
    /// of the leases is over: results whose lease ended before are fenced by it.
    private static func write(
        _ landed: [Landed], _ provider: String, _ pool: PostgresPool, _ metrics: WorkerMetrics
    ) async {
        guard let jobs = landed.first?.jobs,
            let leaseEnds = landed.map(\.batch.leaseEnds).max()
        else { return }
        let sheet = EndingSheet(landed.map(\.ending))
        let all = landed.map(\.job)
        let start = ContinuousClock.now
        var written = Set<JobID>()
        // What could not be written comes back by its lease: nobody has taken it over until that
        // has ended, which a worker that stood still finds when it wakes.
        var fenced = 0
        func note(_ ours: Set<JobID>?, of count: Int) {
            if ours != nil || leaseEnds.hasPassed { fenced += count - (ours?.count ?? 0) }
            written.formUnion(ours ?? [])
        }
        if !sheet.ends.isEmpty {
            let ours = await jobs.write(until: leaseEnds, about: all) { _, deadline in
                try await Deliveries.finish(sheet.ends, pool: pool, deadline: deadline)
            }
            note(ours, of: sheet.ends.count)
        }
        if !sheet.again.isEmpty {
            let ours = await jobs.write(until: leaseEnds, about: all) { queue, deadline in
                try await queue.postpone(sheet.again, deadline: deadline)
            }
            note(ours, of: sheet.again.count)
        }
        if !sheet.burials.isEmpty {
            let ours = await jobs.write(until: leaseEnds, about: all) { queue, deadline in
                try await queue.bury(sheet.burials, deadline: deadline)
            }
            note(ours, of: sheet.burials.count)
        }
        if !sheet.moves.isEmpty {
            let ours = await jobs.write(until: leaseEnds, about: all) { queue, deadline in
                try await queue.place(
                    sheet.moves.map { (job: $0.job, lane: $0.lane) }, deadline: deadline)
            }
            note(ours, of: sheet.moves.count)
        }
        metrics.stepSeconds.observe((ContinuousClock.now - start).secondsAsDouble, "write_back")
        jobs.countFenced(fenced)
        for line in sheet.lines where written.contains(line.job.id) {
            metrics.endings.add(1, provider, line.outcome, line.reason)
        }
        for burial in sheet.burials where written.contains(burial.job.id) {
            jobs.metrics.buried.add(1, JobKinds.deliver, burial.reason)
        }
        jobs.release(sheet.lines.map(\.job))
        await markUnheard(landed, written, jobs, pool, metrics)
    }

    /// Pushes that ended unheard may have been the last of their alerts. Tried once, when nothing
    /// waits for it any more: what fails here the maintainer makes up for.
    private static func markUnheard(
        _ landed: [Landed], _ written: Set<JobID>, _ jobs: JobDesk, _ pool: PostgresPool,
        _ metrics: WorkerMetrics
    ) async {
        let alerts = landed.compactMap { result -> (store: StoreID, id: AlertID)? in
            result.silent.flatMap { written.contains($0.job) ? ($0.store, $0.alert) : nil }
        }
        do throws(PostgresError) {
            let kinds = try await UnheardAlerts.mark(
                alerts, pool: pool, deadline: .after(.seconds(5)))
            for kind in kinds { metrics.unheard.add(1, kind) }
        } catch {
            jobs.metrics.failures.add(1, "unheard", error.code)
            jobs.log.about(landed.filter { $0.silent != nil }.map(\.job)).warning(
                "unheard alerts could not be marked", ["error": "\(error)"])
        }
    }
}

extension ProviderGate.Edge {
    var name: String {
        switch self {
        case .breaks: "break"
        case .pauses: "pause"
        case .closesBreaker: "resume"
        }
    }
}
