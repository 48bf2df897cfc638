import Synchronization

/// What other threads may know of a client without asking its loop.
final class ClientGauges: Sendable {
    private let pending = Atomic<Int>(0)
    private let limit = Atomic<Int>(0)
    private let newestConnection = Atomic<UInt64>(0)
    private let connectionCount = Atomic<Int>(0)

    func enter() { pending.add(1, ordering: .relaxed) }
    func leave() { pending.subtract(1, ordering: .relaxed) }

    func publish(limit: Int, newest: UInt64) {
        self.limit.store(limit, ordering: .relaxed)
        newestConnection.store(newest, ordering: .relaxed)
    }

    func publish(connections: Int) { connectionCount.store(connections, ordering: .relaxed) }

    /// Requests that were handed over and have not ended.
    var inFlight: Int { pending.load(ordering: .relaxed) }
    var free: Int { max(0, limit.load(ordering: .relaxed) - inFlight) }
    var newest: UInt64 { newestConnection.load(ordering: .relaxed) }
    var connections: Int { connectionCount.load(ordering: .relaxed) }
}
