import Postgres
public import Runtime
import Values

/// What a handler has at hand of its runner.
public struct JobDesk: Sendable {
    public let queue: JobQueue
    public let log: Log
    public let metrics: JobMetrics
    let slots: JobSlots
    let shutdown: Shutdown
    /// Since when no write-back came through.
    let awaySince = Lock<ContinuousClock.Instant?>(nil)

    /// A process that was asked to end waits so long for a database that is away: its jobs come
    /// back by their leases all the same.
    static let patience = Duration.seconds(5)

    /// True once the process was asked to end: nothing is started any more.
    public var isStopping: Bool { shutdown.hasBegun }

    /// Says that the jobs have ended and are written back.
    public func release(_ jobs: some Collection<HeldJob>) { slots.release(jobs) }

    /// The same of a whole batch.
    public func release(_ batch: JobBatch) { slots.release(batch.jobs.map(\.held)) }

    /// Counts results that were dropped since another worker had taken over.
    public func countFenced(_ count: Int) {
        if count > 0 { metrics.fenced.add(Double(count)) }
    }

    /// Writes back, again and again while the database is away or takes another before this one (a
    /// deadlock, a conflict), as long as the lease lasts: after that others have the jobs, and what
    /// became of them here is dropped. A process that is to end gives up sooner.
    ///
    /// A write-back whose answer was lost may have happened; then the second one finds nothing, and
    /// its jobs look fenced.
    ///
    /// - Returns: what `body` gave, or nil when it was given up.
    @discardableResult
    public func write<Result: Sendable>(
        _ batch: JobBatch,
        _ body: @Sendable (JobQueue, Deadline) async throws -> Result
    ) async -> Result? {
        await write(until: batch.leaseEnds, about: batch.jobs, body)
    }

    /// The same for whatever ends with a lease.
    ///
    /// - Parameter jobs: those that the log names when it is given up.
    @discardableResult
    public func write<Result: Sendable>(
        until leaseEnds: Deadline, about jobs: [ClaimedJob] = [],
        _ body: @Sendable (JobQueue, Deadline) async throws -> Result
    ) async -> Result? {
        while true {
            let start = ContinuousClock.now
            do {
                let time = isHopeless ? Duration.milliseconds(500) : .seconds(5)
                let result = try await body(queue, min(leaseEnds, .after(time)))
                awaySince.withLock { $0 = nil }
                return result
            } catch {
                let known = error as? PostgresError
                metrics.failures.add(1, "write_back", known?.code ?? "other")
                if known?.isUnavailable == true { awaySince.withLock { $0 = $0 ?? start } }
                let mayPass =
                    known?.isUnavailable == true || known?.isSerializationFailure == true
                if leaseEnds.hasPassed || !mayPass || isHopeless {
                    (jobs.isEmpty ? log : log.about(jobs)).error(
                        "results could not be written", ["error": "\(error)"])
                    return nil
                }
                // Cut short only when the process ends for good; the next try is then the last.
                try? await Task.sleep(for: .milliseconds(.random(in: 100...400)))
                if Task.isCancelled { return nil }
            }
        }
    }

    private var isHopeless: Bool {
        guard shutdown.hasBegun, let since = awaySince.withLock({ $0 }) else { return false }
        return ContinuousClock.now - since >= Self.patience
    }
}
