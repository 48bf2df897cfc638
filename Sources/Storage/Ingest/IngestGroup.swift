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
///
/// Each call is answered by its own deadline, whatever the database does: one that still waits then
/// goes out no more, and of one that is under way it is not known whether it will be stored. A
/// transaction has the time of the most patient of its calls, so that none ends another's.
public final class IngestGroup: Sendable {
    fileprivate struct State {
        var waiting: [IngestCall] = []
        var underWay: [Int: [IngestCall]] = [:]
        var batches = 0
        var running = 0
        /// When the next look at deadlines is taken, if one is.
        var looksAt: Deadline?
    }

    /// Calls that come one behind the other run out of time so too: they are looked at together.
    private static let pause: Duration = .milliseconds(10)

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
    /// - Throws: at the deadline at the latest, why nothing of this call was stored; with
    ///   `.commitUnknown` it may have been or yet be, and asking again with the same ids tells.
    public func submit(
        _ request: IngestRequest, deadline: Deadline
    ) async throws(PostgresError) -> IngestReply {
        let result = await handedOver { handOver in
            let call = IngestCall(request, deadline, handOver)
            let (starts, looks) = state.withLock { state in
                state.waiting.append(call)
                let starts = state.running < parallel
                if starts { state.running += 1 }
                return (starts, Self.look(by: deadline, &state))
            }
            if starts { Task { await self.drain() } }
            if looks { lookLater(deadline) }
        }
        return try result.get()
    }

    /// How many calls wait, and how many are under way, of those that are not answered.
    var counts: (waiting: Int, underWay: Int) {
        state.withLock { state in
            (state.waiting.count, state.underWay.values.joined().count { !$0.isAnswered })
        }
    }

    /// Tells that jobs were added by a transaction that did not go through here.
    public func noteAdded() { raised() }

    private func drain() async {
        while let (number, batch) = nextBatch() {
            let deadline = batch.map(\.deadline).max() ?? .after(.zero)
            let results = await Ingest.commit(
                batch.map(\.request), pool: pool, deadline: deadline)
            if results.contains(where: \.addsJobs) { raised() }
            state.withLock { _ = $0.underWay.removeValue(forKey: number) }
            for (call, result) in zip(batch, results) { call.answer(result) }
        }
    }

    private func nextBatch() -> (number: Int, calls: [IngestCall])? {
        let (batch, late) = state.withLock { state in
            let late = state.takeLate(at: .after(.zero))
            var events = 0
            var count = 0
            for call in state.waiting {
                events += call.request.events.count
                if count > 0, events > batchSize { break }
                count += 1
            }
            guard count > 0 else {
                state.running -= 1
                return (nil as (Int, [IngestCall])?, late)
            }
            let batch = Array(state.waiting.prefix(count))
            state.waiting.removeFirst(count)
            state.batches += 1
            state.underWay[state.batches] = batch
            return ((state.batches, batch), late)
        }
        for call in late { call.answer(.failure(.poolTimeout)) }
        return batch
    }
}

// MARK: - Deadlines

extension IngestGroup {
    /// Whether somebody has to be sent who looks at the deadlines then.
    private static func look(by deadline: Deadline, _ state: inout State) -> Bool {
        if let looksAt = state.looksAt, looksAt <= deadline { return false }
        state.looksAt = deadline
        return true
    }

    /// One task for all calls: while the database answers it wakes once in the time that a call
    /// has, and finds nothing to do.
    private func lookLater(_ deadline: Deadline) {
        Task { [weak self] in
            // Nothing cancels this task.
            try? await Task.sleep(until: deadline.instant, clock: .continuous)
            self?.lookNow(deadline)
        }
    }

    private func lookNow(_ deadline: Deadline) {
        let (waiting, underWay, next) = state.withLock { state in
            let now = Deadline.after(.zero)
            let waiting = state.takeLate(at: now)
            let calls = state.underWay.values.joined().filter { !$0.isAnswered }
            let underWay = calls.filter { $0.deadline <= now }
            // One that was sent for an earlier deadline looks after the others.
            guard state.looksAt == deadline else { return (waiting, underWay, nil as Deadline?) }
            state.looksAt = nil
            let left = state.waiting + calls.filter { $0.deadline > now }
            if let earliest = left.map(\.deadline).min() {
                state.looksAt = max(earliest, .after(Self.pause))
            }
            return (waiting, underWay, state.looksAt)
        }
        for call in waiting { call.answer(.failure(.poolTimeout)) }
        for call in underWay { call.answer(.failure(.commitUnknown)) }
        if let next { lookLater(next) }
    }
}

extension IngestGroup.State {
    /// Those whose time is over, out of the queue: nothing of them was sent.
    fileprivate mutating func takeLate(at now: Deadline) -> [IngestCall] {
        guard waiting.contains(where: { $0.deadline <= now }) else { return [] }
        let late = waiting.filter { $0.deadline <= now }
        waiting.removeAll { $0.deadline <= now }
        return late
    }
}

/// A call and whoever waits for its answer, of which there is one.
private final class IngestCall: Sendable {
    typealias Waiter = @Sendable (Result<IngestReply, PostgresError>) -> Void

    let request: IngestRequest
    let deadline: Deadline
    private let waiter: Lock<Waiter?>

    init(_ request: IngestRequest, _ deadline: Deadline, _ waiter: @escaping Waiter) {
        self.request = request
        self.deadline = deadline
        self.waiter = Lock<Waiter?>(waiter)
    }

    var isAnswered: Bool { waiter.withLock { $0 == nil } }

    /// The first answer counts.
    func answer(_ result: Result<IngestReply, PostgresError>) {
        let waiter = waiter.withLock { waiter in
            defer { waiter = nil }
            return waiter
        }
        waiter?(result)
    }
}

extension Result<IngestReply, PostgresError> {
    fileprivate var addsJobs: Bool {
        guard case .success(.done(let results)) = self else { return false }
        return results.contains { $0.alert != nil }
    }
}
