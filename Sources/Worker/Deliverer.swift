import Alerts
import Jobs
import Postgres
import Push
import Runtime
import Storage
import Values

/// `push.deliver`: sends the pushes of one credential and writes back how they ended.
///
/// A push starts only when its recheck says yes on facts at most a second old, the lease outlasts
/// the provider's deadline, and the gate is open; what does not start goes back as it was. The
/// facts' age holds for each stream that is opened, wherever the push had to wait for one: whoever
/// was answered that he is logged out gets nothing that starts a second later. No
/// transaction is open while an answer is awaited, and nothing waits for the slowest of a batch.
///
/// When the facts came too late, the batch goes back, and the next claims take less.
struct Deliverer: JobHandler {
    let credential: Credential
    let sender: any PushSending
    let material: PushMaterialSource
    let writer: PushPreparation
    let settings: WorkerSettings
    let desk: DeliveryDesk
    let pace: Lock<FactsPace>

    /// Pushes of one claim of a flood: their requests and answers come in a burst, and another
    /// store's wait behind it.
    static let floodBatch = 64

    /// How many pushes can start now.
    var room: Int { min(sender.freeStreams, pace.withLock { $0.room(at: .now) }) }

    func work(_ batch: JobBatch, desk jobs: JobDesk) async {
        let start = ContinuousClock.now
        let loaded: [PushID: PushMaterial]
        do {
            loaded = try await material.load(batch.jobs)
        } catch {
            jobs.log.about(batch.jobs).error(
                "facts of pushes could not be read", ["error": "\(error)"])
            wereLate(batch)
            if batch.isProbe { await probeAgain(batch, jobs) }
            desk.add(batch.jobs.map { ($0, .again(.back($0, in: .seconds(1)))) }, batch, jobs)
            return
        }
        desk.metrics.stepSeconds.observe(
            (ContinuousClock.now - start).secondsAsDouble, "push_facts")
        var ready: [(FlyingPush, ReadyPush)] = []
        ready.reserveCapacity(batch.jobs.count)
        var endings: [(job: ClaimedJob, ending: PushEnding)] = []
        for job in batch.jobs {
            switch writer.prepare(job, loaded[PushID(job.id.uuid)], of: credential) {
            case .send(let flying, let push): ready.append((flying, push))
            case .end(let ending): endings.append((job, ending))
            }
        }
        let deadline = Deadline.after(settings.providerTimeout)
        let startBy = Deadline(start + settings.factsAge)
        let isLate = startBy.hasPassed || deadline >= batch.leaseEnds
        if isLate { wereLate(batch) } else { pace.withLock { $0.inTime(batch.jobs.count) } }
        if batch.isProbe, ready.isEmpty || isLate { await probeAgain(batch, jobs) }
        desk.add(endings, batch, jobs)
        if isLate {
            return desk.add(ready.map { ($0.0.job, .again(.late($0.0.job))) }, batch, jobs)
        }
        send(ready, batch, jobs, deadline, startBy)
    }

    private func wereLate(_ batch: JobBatch) {
        pace.withLock { $0.late(batch.jobs.count, restUntil: .now + Postponement.aMoment) }
    }

    /// A job that is not sent, as one whose session ended, tries nothing: the next one may at once.
    /// Else a breaker stayed open until all of them were through, one each interval.
    private func probeAgain(_ batch: JobBatch, _ jobs: JobDesk) async {
        await jobs.write(batch) { [credential] queue, deadline in
            try await queue.hurryProbe(of: credential, deadline: deadline)
        }
    }

    func follow(isOpen: Bool, since openSince: Timestamp?, asOf time: ContinuousClock.Instant) {
        desk.follow(isOpen: isOpen, since: openSince, asOf: time)
    }

    func probe(_ credential: Credential) async -> Bool {
        await sender.probe(deadline: .after(settings.providerTimeout)) == .accepted
    }

    private func send(
        _ ready: [(FlyingPush, ReadyPush)], _ batch: JobBatch, _ jobs: JobDesk,
        _ deadline: Deadline, _ startBy: Deadline
    ) {
        guard !ready.isEmpty else { return }
        guard !jobs.isStopping, batch.isProbe || desk.isOpen else {
            return desk.add(
                ready.map { ($0.0.job, .again(.back($0.0.job, in: .zero))) }, batch, jobs)
        }
        let flying = ready.map(\.0)
        // When reading took the better part of the time, it is why there was no stream in the rest.
        let readFor = settings.factsAge - (startBy.instant - .now)
        let wasTight = readFor > settings.factsAge / 2
        sender.send(ready.map(\.1), deadline: deadline, startBy: startBy) {
            [desk, self] index, result in
            if wasTight, !result.hasStarted { wereLate(batch) }
            desk.land(flying[index], result, batch, jobs)
        }
    }
}

extension Postponement {
    /// A push that did not start: neither attempt nor loss.
    static func back(_ job: ClaimedJob, in wait: Duration) -> Postponement {
        Postponement(job: job.held, wait: wait, countsAsAttempt: false)
    }

    /// One that did not start in time: neither attempt nor loss, and the reason for the metric.
    static func late(_ job: ClaimedJob, _ reason: String = "facts_late") -> Postponement {
        Postponement(job: job.held, wait: aMoment, countsAsAttempt: false, reason: reason)
    }

    static var aMoment: Duration { .milliseconds(.random(in: 100...500)) }
}

/// Reads what the pushes of a claim need.
struct PushMaterialSource: Sendable {
    let pool: PostgresPool
    let senders: Senders

    func load(_ jobs: [ClaimedJob]) async throws(PostgresError) -> [PushID: PushMaterial] {
        try await PushMaterial.load(
            jobs.compactMap { $0.pushRequest }, pool: pool, deadline: .after(.seconds(5)),
            isConfigured: senders.isConfigured)
    }
}

extension ClaimedJob {
    /// The push that the job is about; nil when something is missing.
    var pushRequest: PushRequest? {
        guard let subject, let target, let member else { return nil }
        return PushRequest(
            push: PushID(id.uuid), store: store, alert: AlertID(subject),
            device: DeviceID(target), user: UserID(member))
    }
}
