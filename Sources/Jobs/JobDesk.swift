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

    /// Writes back, again and again while the database is away, as long as the lease lasts: after
    /// that others have the jobs, and what became of them here is dropped.
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
        await write(until: batch.leaseEnds, body)
    }

    @discardableResult
    public func write<Result: Sendable>(
        until leaseEnds: Deadline,
        _ body: @Sendable (JobQueue, Deadline) async throws -> Result
    ) async -> Result? {
        while true {
            do {
                return try await body(queue, min(leaseEnds, .after(.seconds(5))))
            } catch {
                let known = error as? PostgresError
                metrics.failures.add(1, "write_back", known?.code ?? "other")
                if leaseEnds.hasPassed || known?.isUnavailable != true {
                    log.error("results could not be written", ["error": "\(error)"])
                    return nil
                }
                // Cut short only when the process ends for good; the next try is then the last.
                try? await Task.sleep(for: .milliseconds(.random(in: 100...400)))
                if Task.isCancelled { return nil }
            }
        }
    }
}
