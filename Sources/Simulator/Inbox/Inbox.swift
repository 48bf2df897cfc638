public import Runtime
import Values

/// What arrived at the doubles, in order.
public final class Inbox: Sendable {
    private struct State {
        var entries: [InboxEntry] = []
        var first = 0
        var lastNumber = 0
        var counts = InboxCounts()
        var seen: Set<Int> = []
        var waiters: [Int: Waiter] = [:]
        var listeners: [Int: AsyncStream<InboxEntry>.Continuation] = [:]
        var nextTicket = 0
    }

    private struct Waiter {
        let isMet: @Sendable (InboxCounts) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private let state = Lock(State())
    private let limit: Int
    private let discards: Bool

    init(limit: Int, discards: Bool) {
        self.limit = max(1, limit)
        self.discards = discards
    }

    // MARK: Reading

    /// All entries that are kept, oldest first; with a token or provider only theirs.
    ///
    /// - Parameters:
    ///   - number: the last entry that is known; those after it only. Cheap, whatever is kept.
    ///   - token: the hex token of APNs in either case, or the target of an FCM message.
    public func entries(
        after number: Int = 0, token: String? = nil, provider: SimulatedProvider? = nil
    ) -> [InboxEntry] {
        let fresh = state.withLock { state in
            let count = max(0, state.lastNumber - max(0, number))
            return Array(state.entries[state.first...].suffix(count))
        }
        return fresh.filter { entry in
            guard provider == nil || entry.provider == provider else { return false }
            guard let token else { return true }
            return entry.token == (entry.provider == .apns ? token.lowercased() : token)
        }
    }

    /// All requests since the start or the last emptying, kept or not.
    public var counts: InboxCounts { state.withLock { $0.counts } }

    /// Forgets entries and counts.
    public func empty() {
        state.withLock { state in
            state.entries = []
            state.first = 0
            state.lastNumber = 0
            state.counts = InboxCounts()
            state.seen = []
        }
    }

    /// Every entry from now on. One who reads too slowly loses the oldest of 10,000 waiting.
    public func stream() -> AsyncStream<InboxEntry> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: InboxEntry.self, bufferingPolicy: .bufferingNewest(10_000))
        let ticket = state.withLock { state in
            state.nextTicket += 1
            state.listeners[state.nextTicket] = continuation
            return state.nextTicket
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: ticket) }
        }
        return stream
    }

    /// Waits until so many requests were accepted since the start or the last emptying.
    ///
    /// - Returns: whether they were before the deadline.
    public func wait(forAccepted count: Int, until deadline: Deadline) async -> Bool {
        await wait(until: deadline) { $0.accepted >= count }
    }

    /// Waits until so many requests have arrived, however answered.
    public func wait(forRequests count: Int, until deadline: Deadline) async -> Bool {
        await wait(until: deadline) { $0.requests >= count }
    }

    /// Waits until the counts are as wanted.
    ///
    /// - Returns: whether they were before the deadline.
    public func wait(
        until deadline: Deadline, _ isMet: @escaping @Sendable (InboxCounts) -> Bool
    ) async -> Bool {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        let alarm = Task {
            try await Task.sleep(until: deadline.instant, clock: .continuous)
            dismiss(ticket)
        }
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if isMet(state.counts) { return true }
                    if deadline.hasPassed || Task.isCancelled { return false }
                    state.waiters[ticket] = Waiter(isMet: isMet, continuation: continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            dismiss(ticket)
        }
    }

    private func dismiss(_ ticket: Int) {
        state.withLock { $0.waiters.removeValue(forKey: ticket) }?.continuation
            .resume(returning: false)
    }

    // MARK: Writing

    /// - Parameter repeats: what makes two accepted requests the same; nil counts none.
    func add(_ entry: InboxEntry, repeats key: Int?) {
        let met = state.withLock { state in
            keep(entry, in: &state)
            let isDuplicate = key.map { !state.seen.insert($0).inserted } ?? false
            state.counts.count(entry, isDuplicate: isDuplicate)
            return takeMet(&state)
        }
        for waiter in met { waiter.continuation.resume(returning: true) }
    }

    /// Counts a request of the token endpoint.
    func countTokenRequest() {
        let met = state.withLock { state in
            state.counts.tokenRequests += 1
            return takeMet(&state)
        }
        for waiter in met { waiter.continuation.resume(returning: true) }
    }

    private func keep(_ entry: InboxEntry, in state: inout State) {
        state.lastNumber += 1
        guard !discards || !state.listeners.isEmpty else { return }
        var entry = entry
        entry.number = state.lastNumber
        for listener in state.listeners.values { listener.yield(entry) }
        guard !discards else { return }
        state.entries.append(entry)
        guard state.entries.count - state.first > limit else { return }
        state.first += 1
        guard state.first >= limit else { return }
        state.entries.removeFirst(state.first)
        state.first = 0
    }

    private func takeMet(_ state: inout State) -> [Waiter] {
        guard !state.waiters.isEmpty else { return [] }
        let met = state.waiters.filter { $0.value.isMet(state.counts) }
        for ticket in met.keys { state.waiters[ticket] = nil }
        return Array(met.values)
    }
}
