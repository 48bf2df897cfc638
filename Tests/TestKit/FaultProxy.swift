import Glibc
import Runtime
import Values

/// A proxy that misbehaves on demand: between a client and a server it forwards, delays, swallows,
/// stops reading or resets.
///
/// A fault holds for what passes after it was set, on connections that stand as well.
public final class FaultProxy: Sendable {
    public enum Endpoint: Sendable {
        /// A port of 127.0.0.1; to listen, 0 takes a free one.
        case port(Int)
        case unix(String)
    }

    public enum Direction: Sendable, Equatable {
        case toServer
        case toClient
    }

    public enum Fault: Sendable, Equatable {
        case none
        /// Each piece waits so long before it is handed on.
        case delay(Duration)
        /// Every byte is handed on by itself.
        case oneByteWrites
        /// What comes this way is taken and forgotten; the other way works.
        case swallow(Direction)
        /// Both ways are taken and forgotten.
        case blackHole
        /// Nothing is read any more, so that the senders' buffers fill up.
        case halfOpen
        /// After so many more bytes this way the connection is reset.
        case reset(after: Int, Direction)
    }

    struct State {
        var fault = Fault.none
        var passed = 0
        var accepted = 0
        var lines: [ObjectIdentifier: FaultLine] = [:]
        var isStopped = false
    }

    let state = Lock(State())
    let upstream: Endpoint
    private let listener: Int32
    /// The port, when it listens on one.
    public let port: Int

    public init(to upstream: Endpoint, on place: Endpoint = .port(0)) throws(FaultProxyError) {
        self.upstream = upstream
        listener = try FaultSockets.listen(place)
        port = FaultSockets.port(of: listener)
        Threads.start("fault-proxy") { [state, upstream, listener] in
            FaultLine.accept(listener, upstream, state)
        }
    }

    deinit { stop() }

    /// What happens to the bytes from now on.
    public var fault: Fault {
        get { state.withLock { $0.fault } }
        set {
            state.withLock { state in
                state.fault = newValue
                state.passed = 0
            }
        }
    }

    /// How many connections were taken so far.
    public var accepted: Int { state.withLock { $0.accepted } }

    /// Resets every connection that stands.
    public func resetAll() {
        let lines = state.withLock { Array($0.lines.values) }
        for line in lines { line.reset() }
    }

    /// Takes no more connections and resets those that stand.
    public func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            return !state.isStopped
        }
        guard isFirst else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        resetAll()
    }
}
