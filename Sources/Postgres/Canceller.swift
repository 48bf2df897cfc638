import CPostgres
import Runtime

/// Asks servers to stop statements that nobody waits for any more, one at a time and as a favour.
///
/// PQcancel waits for the server without a limit of its own, so it runs on a thread apart, and
/// while one request hangs others are dropped.
final class Canceller: Sendable {
    static let shared = Canceller()

    private let isBusy = Lock(false)
    private let executor = BlockingExecutor(name: "pg-cancel", threads: 1)

    func cancel(_ connection: OpaquePointer) {
        let taken = isBusy.withLock { busy in
            defer { busy = true }
            return !busy
        }
        guard taken else { return }
        guard let pointer = PQgetCancel(connection) else { return isBusy.withLock { $0 = false } }
        let request = CancelRequest(pointer)
        executor.submit { [isBusy] in
            request.send()
            isBusy.withLock { $0 = false }
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
