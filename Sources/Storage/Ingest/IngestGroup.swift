public import Postgres
public import Runtime
public import Values

/// One call of a commerce backend: its token and its events.
public struct IngestRequest: Sendable {
    public let tokenHash: [UInt8]
    public let store: StoreID
    public let events: [IngestEvent]

    public init(tokenHash: [UInt8], store: StoreID, events: [IngestEvent]) {
        self.tokenHash = tokenHash
        self.store = store
        self.events = events
    }
}

/// What came of a call whose transaction committed.
public enum IngestReply: Sendable, Equatable {
    /// The token is no store's.
    case unauthenticated
    /// It is another store's.
    case otherStore
    /// Durable: a result per event, in order.
    case done([IngestResult])
}

/// Commits the events of many calls together: while a transaction runs, the calls that come gather
/// for the next. A call alone waits for nobody.
public final class IngestGroup: Sendable {
    private struct Waiting {
        let request: IngestRequest
        let deadline: Deadline
        let continuation: CheckedContinuation<Result<IngestReply, PostgresError>, Never>
    }

    private struct State {
        var waiting: [Waiting] = []
        var running = 0
    }

    private let pool: PostgresPool
    private let batchSize: Int
    private let parallel: Int
    private let raised: @Sendable () -> Void
    private let state = Lock(State())

    /// - Parameters:
    ///   - batchSize: how many events a transaction takes, a larger call excepted.
    ///   - parallel: how many transactions run at once.
    ///   - raised: called after a commit that added jobs.
    public init(
        pool: PostgresPool, batchSize: Int = 500, parallel: Int = 2,
        raised: @escaping @Sendable () -> Void
    ) {
        self.pool = pool
        self.batchSize = batchSize
        self.parallel = parallel
        self.raised = raised
    }

    /// Returns when the events are durable.
    ///
    /// - Throws: why nothing of this call was stored; with `.commitUnknown` it may have been, and
    ///   asking again with the same ids tells.
    public func submit(
        _ request: IngestRequest, deadline: Deadline
    ) async throws(PostgresError) -> IngestReply {
        let result = await withCheckedContinuation { continuation in
            let starts = state.withLock { state in
                state.waiting.append(
                    Waiting(request: request, deadline: deadline, continuation: continuation))
                guard state.running < parallel else { return false }
                state.running += 1
                return true
            }
            if starts { Task { await self.drain() } }
        }
        return try result.get()
    }

    /// Tells that jobs were added by a transaction that did not go through here.
    public func noteAdded() { raised() }

    private func drain() async {
        while let batch = nextBatch() {
            // The most patient of them: a call's own deadline only bounds what it adds.
            let deadline = batch.map(\.deadline).max() ?? .after(.zero)
            let results = await Ingest.commit(
                batch.map(\.request), pool: pool, deadline: deadline)
            if results.contains(where: \.addsJobs) { raised() }
            for (waiting, result) in zip(batch, results) {
                waiting.continuation.resume(returning: result)
            }
        }
    }

    private func nextBatch() -> [Waiting]? {
        state.withLock { state -> [Waiting]? in
            var events = 0
            var count = 0
            for waiting in state.waiting {
                events += waiting.request.events.count
                if count > 0, events > batchSize { break }
                count += 1
            }
            guard count > 0 else {
                state.running -= 1
                return nil
            }
            let batch = Array(state.waiting.prefix(count))
            state.waiting.removeFirst(count)
            return batch
        }
    }
}

extension Result<IngestReply, PostgresError> {
    fileprivate var addsJobs: Bool {
        guard case .success(.done(let results)) = self else { return false }
        return results.contains { $0.alert != nil }
    }
}
