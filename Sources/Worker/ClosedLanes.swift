import Jobs
import Postgres
import Runtime
import Storage
import Values

/// Ends what has outlived its time in lanes that are paused, broken or off: nobody claims from
/// those, and of a credential that no worker has there is no runner at all. Every worker does it,
/// whether it has the credential or not.
///
/// An idle house pays one small statement an interval for it.
struct ClosedLanes: Service {
    let name = "closed lanes"
    let lanes: [Lane]
    let pool: PostgresPool
    let settings: WorkerSettings
    let log: Log
    let counts: WorkerMetrics
    let jobs: JobMetrics

    /// What came of one look, and behind which tags the next one goes on.
    private struct Look: Sendable {
        let foundAny: Bool
        let next: [LaneID: Int64]
    }

    /// A lane is looked through from its lowest tag.
    private static let start = Int64.min

    init(
        lanes: [Lane], pool: PostgresPool, settings: WorkerSettings, log: Log,
        counts: WorkerMetrics, metrics: Metrics
    ) {
        self.lanes = lanes
        self.pool = pool
        self.settings = settings
        self.log = log.with(["service": .text(name)])
        self.counts = counts
        jobs = JobMetrics(metrics)
    }

    func run(until shutdown: Shutdown) async throws {
        let bell = AlarmBell(shutdown)
        var tags = first
        while !shutdown.hasBegun {
            let from = tags
            // It may wait for a database that is away; the end of the process does not.
            let look: Look? = await shutdown.race { await findings(behind: from) } ?? nil
            tags = look?.next ?? first
            if look?.foundAny == true { continue }
            await bell.wait(settings.breakerProbe * Double.random(in: 0.75..<1.25))
        }
    }

    private var first: [LaneID: Int64] {
        Dictionary(uniqueKeysWithValues: lanes.map { ($0.id, Self.start) })
    }

    /// Looks once behind the tags and ends what it finds. Where it found any, more may be there.
    ///
    /// - Returns: nil when the database gave no answer. What was taken then comes back by its lease.
    private func findings(behind tags: [LaneID: Int64]) async -> Look? {
        do throws(PostgresError) {
            let claim = try await JobQueue(pool: pool).claimStale(
                behind: tags, upTo: settings.batch, lease: LeaseID(.random()),
                for: settings.lease, deadline: .after(.seconds(5)))
            if !claim.jobs.isEmpty { try await expire(claim.jobs) }
            return Look(
                foundAny: !claim.jobs.isEmpty, next: first.merging(claim.lastTags) { $1 })
        } catch {
            if Task.isCancelled { return nil }
            jobs.failures.add(1, name, error.code)
            log.error("closed lanes could not be looked through", ["error": "\(error)"])
            return nil
        }
    }

    private func expire(_ expired: [ClaimedJob]) async throws(PostgresError) {
        let ended = try await Deliveries.finish(
            expired.map { .expired($0) }, pool: pool, deadline: .after(settings.lease))
        jobs.fenced.add(Double(expired.count - ended.count))
        let ours = expired.filter { ended.contains($0.id) }
        for job in ours {
            let provider = lanes.first { $0.id == job.lane }?.credential.name ?? ""
            counts.endings.add(1, provider, "expired", "expired")
        }
        log.info("pushes expired in closed lanes", ["jobs": .count(ours.count)])
        let alerts = ours.compactMap { job in
            job.subject.map { (store: job.store, id: AlertID($0)) }
        }
        let kinds = try await UnheardAlerts.mark(
            alerts, pool: pool, deadline: .after(.seconds(5)))
        for kind in kinds { counts.unheard.add(1, kind) }
    }
}
