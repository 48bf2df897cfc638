import CPostgres
import Runtime

/// Asks servers to stop statements that nobody waits for any more, as a favour.
///
/// PQcancel waits for the server without a limit of its own, so each request has a thread apart,
/// and while too many of them hang, others are dropped.
final class Canceller: Sendable {
    static let shared = Canceller()

    private static let most = 16
    private let running = Lock(0)

    func cancel(_ connection: OpaquePointer) {
        let isTaken = running.withLock { count in
            if count == Self.most { return false }
            count += 1
            return true
        }
        guard isTaken else { return }
        guard let pointer = PQgetCancel(connection) else { return running.withLock { $0 -= 1 } }
        let request = CancelRequest(pointer)
        Threads.start("pg-cancel") { [running] in
            request.send()
            running.withLock { $0 -= 1 }
        }
    }
}

/// Owns a PGcancel, a copy of the address and key that outlives its connection.
private final class CancelRequest: @unchecked Sendable {
    // @unchecked: made by one thread and then used by one other only.
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit { PQfreeCancel(pointer) }

    func send() {
        var words = [CChar](repeating: 0, count: 256)
        // Best effort: the server finds out by itself when it next writes to the closed socket.
        _ = PQcancel(pointer, &words, Int32(words.count))
    }
}
