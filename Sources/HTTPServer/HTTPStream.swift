import CMicrohttpd
import Runtime

/// The client of a stream has left, or the server ends it.
public struct HTTPClientGone: Error, Sendable, CustomStringConvertible {
    public init() {}
    public var description: String { "the client of the stream has left" }
}

/// The writing end of an answer that is sent while it is made.
public final class HTTPStream: @unchecked Sendable {
    // @unchecked: `handle` is a libmicrohttpd connection, touched only inside `state`'s lock and
    // only while the request lasts (`isGone` is set before libmicrohttpd lets go of it).
    private struct State {
        var buffer: [UInt8] = []
        var offset = 0
        var isFinished = false
        var isGone = false
        var isSuspended = false
        var hasStarted = false
        var writers: [CheckedContinuation<Void, Never>] = []
        var task: Task<Void, Never>?

        var waiting: Int { buffer.count - offset }
    }

    private let state = Lock(State())
    private let handle: OpaquePointer
    private let limit: Int
    private let core: ServerCore
    private let produce: @Sendable (HTTPStream) async -> Void

    init(
        handle: OpaquePointer, limit: Int, core: ServerCore,
        produce: @escaping @Sendable (HTTPStream) async -> Void
    ) {
        self.handle = handle
        self.limit = limit
        self.core = core
        self.produce = produce
    }

    /// Whether there is still somebody to write to.
    public var isOpen: Bool { state.withLock { !$0.isGone } }

    /// Hands the bytes over; returns when there is room for more.
    public func write(_ bytes: [UInt8]) async throws(HTTPClientGone) {
        let isFull = state.withLock { state in
            guard !state.isGone else { return false }
            state.buffer.append(contentsOf: bytes)
            resume(&state)
            return state.waiting > limit
        }
        if isFull { await waitForRoom() }
        if !isOpen { throw HTTPClientGone() }
    }

    public func write(_ text: String) async throws(HTTPClientGone) {
        try await write(Array(text.utf8))
    }

    private func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                if state.isGone || state.waiting <= limit { return true }
                state.writers.append(continuation)
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    private func resume(_ state: inout State) {
        guard state.isSuspended else { return }
        state.isSuspended = false
        MHD_resume_connection(handle)
    }

    private func finish() {
        state.withLock { state in
            state.isFinished = true
            resume(&state)
        }
    }

    /// The server drains: whoever writes is asked to end, what is written still goes out.
    func end() {
        state.withLock { $0.task }?.cancel()
    }

    /// Nobody reads any more: writers are told, and libmicrohttpd is let go of the connection.
    func clientLeft() {
        let (writers, task) = state.withLock { state in
            state.isGone = true
            resume(&state)
            defer { state.writers = [] }
            return (state.writers, state.task)
        }
        task?.cancel()
        for writer in writers { writer.resume() }
    }

    /// The request is over; libmicrohttpd's connection must not be touched again.
    func close() {
        state.withLock { $0.isSuspended = false }
        clientLeft()
    }

    /// Called by libmicrohttpd for the next bytes of the body.
    func read(into buffer: UnsafeMutablePointer<CChar>, count: Int) -> Int {
        var writers: [CheckedContinuation<Void, Never>] = []
        let result = state.withLock { state -> Int in
            if !state.hasStarted {
                state.hasStarted = true
                state.task = Task { [self] in
                    await produce(self)
                    finish()
                }
                if core.isDraining { state.task?.cancel() }
            }
            if state.isGone { return sineta_mhd_end_with_error }
            if state.waiting > 0 {
                let taken = take(&state, into: buffer, count: count)
                if state.waiting <= limit / 2 {
                    writers = state.writers
                    state.writers = []
                }
                return taken
            }
            if state.isFinished { return sineta_mhd_end_of_stream }
            if core.isClosing { return sineta_mhd_end_with_error }
            state.isSuspended = true
            MHD_suspend_connection(handle)
            return 0
        }
        for writer in writers { writer.resume() }
        return result
    }

    private func take(
        _ state: inout State, into buffer: UnsafeMutablePointer<CChar>, count: Int
    ) -> Int {
        let taken = min(count, state.waiting)
        state.buffer.withUnsafeBytes { bytes in
            UnsafeMutableRawPointer(buffer).copyMemory(
                from: bytes.baseAddress.unsafelyUnwrapped + state.offset, byteCount: taken)
        }
        state.offset += taken
        if state.offset == state.buffer.count {
            state.buffer.removeAll(keepingCapacity: true)
            state.offset = 0
        } else if state.offset > limit {
            state.buffer.removeFirst(state.offset)
            state.offset = 0
        }
        return taken
    }
}
