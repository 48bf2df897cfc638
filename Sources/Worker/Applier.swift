import Alerts
import JSON
import Jobs
import Postgres
import Runtime
import Storage
import Values

/// `events.apply`: events that a merchant's own transaction raised by `sineta.emit`, applied after
/// its commit through the same path as those that came over HTTP. The job's id becomes the event's,
/// so that a second run after a lost COMMIT is no second event.
struct Applier: JobHandler {
    let pool: PostgresPool
    let settings: WorkerSettings
    let metrics: WorkerMetrics
    let added: @Sendable (Set<LaneID>) -> Void

    func work(_ batch: JobBatch, desk: JobDesk) async {
        defer { desk.release(batch) }
        let read = batch.jobs.map { ($0, event($0)) }
        let good = read.compactMap { job, event in event.map { (job, $0) } }
        var verdicts = read.filter { $0.1 == nil }.map {
            ($0.0, JobVerdict.bury(reason: "undecodable", countsAsAttempt: false))
        }
        if desk.isStopping {
            verdicts += good.map { ($0.0, .snooze(.zero)) }
        } else {
            verdicts += await apply(good, desk)
        }
        await desk.settle(verdicts, of: batch, policy: settings.jobPolicy)
    }

    private func event(_ job: ClaimedJob) -> IngestEvent? {
        guard let args = job.args, let value = try? JSONValue.parse(args),
            let event = try? Event.read(value)
        else { return nil }
        return IngestEvent(
            store: job.store, id: EventID(job.id.uuid), event: event, receivedAt: job.raisedAt,
            maxAge: settings.alertMaxAge)
    }

    /// All together; when one is at fault, each alone.
    private func apply(
        _ events: [(ClaimedJob, IngestEvent)], _ desk: JobDesk
    ) async -> [(ClaimedJob, JobVerdict)] {
        guard !events.isEmpty else { return [] }
        do {
            try await commit(events, desk)
            return events.map { ($0.0, .written) }
        } catch {
            let code = (error as? PostgresError)?.code ?? "failed"
            desk.log.about(events.map(\.0)).error(
                "events could not be applied", ["error": "\(error)"])
            if (error as? PostgresError)?.isUnavailable == true {
                return events.map { ($0.0, .snooze(.milliseconds(500))) }
            }
            if events.count == 1 {
                return events.map { ($0.0, .retry(reason: "apply_\(code)")) }
            }
        }
        var verdicts: [(ClaimedJob, JobVerdict)] = []
        for event in events { verdicts += await apply([event], desk) }
        return verdicts
    }

    /// The jobs end with what follows from them, in one transaction.
    private func commit(_ events: [(ClaimedJob, IngestEvent)], _ desk: JobDesk) async throws {
        let (ended, results) = try await pool.transaction(
            deadline: .after(.seconds(10)), preamble: [DatabaseRole.worker.query]
        ) { transaction in
            let ended = try JobQueue.finish(events.map(\.0.held), in: transaction)
            let ours = events.filter { ended.contains($0.0.id) }.map(\.1)
            return (ended, try Ingest.apply(ours, in: transaction))
        }
        desk.countFenced(events.count - ended.count)
        for result in results {
            metrics.applied.add(1, result.isDuplicate ? "duplicate" : "accepted")
        }
        if results.contains(where: { $0.alert != nil }) {
            added([Lanes.decide(isUrgent: true), Lanes.decide(isUrgent: false)])
        }
    }
}
