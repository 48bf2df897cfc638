import CMicrohttpd
import Glibc
import Runtime
import Synchronization

/// Nanoseconds of the monotonic clock.
func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// What a connection is at, which says how long it may stay there.
enum Phase: UInt64 {
    /// Between an answer and the first byte of the next request.
    case idle
    case head
    case body
    /// The request is whole: only the handler and the client's reading take time.
    case busy
}

/// One accepted socket, which libmicrohttpd owns; known to the registry until just before it is
/// closed.
final class Connection: Sendable {
    let id: UInt64
    let descriptor: Int32
    let remoteAddress: String
    /// The request that waits for its handler or is being answered.
    let current = Lock<Exchange?>(nil)
    /// The phase in the lowest two bits, and the nanosecond it began in those above.
    private let word: Atomic<UInt64>
    private let isCut = Atomic(false)

    init(id: UInt64, descriptor: Int32) {
        self.id = id
        self.descriptor = descriptor
        remoteAddress = Self.peer(of: descriptor)
        word = Atomic(Self.pack(.head, monotonicNanoseconds()))
    }

    func enter(_ phase: Phase) {
        word.store(Self.pack(phase, monotonicNanoseconds()), ordering: .relaxed)
    }

    /// The head's time runs from its first byte, so a connection that is in it stays as it is.
    func enterHeadFromIdle() {
        let seen = word.load(ordering: .relaxed)
        guard seen & 3 == Phase.idle.rawValue else { return }
        // Lost only to libmicrohttpd's own thread, which then knows better.
        _ = word.compareExchange(
            expected: seen, desired: Self.pack(.head, monotonicNanoseconds()), ordering: .relaxed)
    }

    /// The phase, and for how many nanoseconds it has lasted.
    func phase(at now: UInt64) -> (Phase, UInt64) {
        let seen = word.load(ordering: .relaxed)
        let since = seen & ~3
        return (Phase(rawValue: seen & 3) ?? .busy, now > since ? now - since : 0)
    }

    /// Whether it is cut off now, and was not before.
    func isCutFirst() -> Bool { !isCut.exchange(true, ordering: .relaxed) }

    /// Whether the peer has sent anything in this phase: libmicrohttpd does not tell of a request's
    /// first bytes, the kernel does. Its clock ticks in steps of some milliseconds.
    func hasReceived(within nanoseconds: UInt64) -> Bool {
        let quiet = sineta_tcp_quiet_milliseconds(descriptor)
        return quiet >= 0 && UInt64(quiet) * 1_000_000 + 12_000_000 < nanoseconds
    }

    private static func pack(_ phase: Phase, _ now: UInt64) -> UInt64 { now & ~3 | phase.rawValue }

    private static func peer(of descriptor: Int32) -> String {
        var text = [CChar](repeating: 0, count: 64)
        guard sineta_peer_name(descriptor, &text, UInt32(text.count)) == 0 else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// The open connections.
final class Registry: Sendable {
    private struct State {
        var next: UInt64 = 1
        var connections: [UInt64: Connection] = [:]
        var waiter: CheckedContinuation<Void, Never>?
        var waitsUntil: UInt64 = 0
    }

    private let state = Lock(State())

    var count: Int { state.withLock { $0.connections.count } }

    func add(descriptor: Int32) -> Connection {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        let connection = Connection(id: id, descriptor: descriptor)
        state.withLock { $0.connections[id] = connection }
        return connection
    }

    func remove(_ connection: Connection) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.connections[connection.id] = nil
            guard state.connections.isEmpty else { return nil }
            return state.waiter.take()
        }
        waiter?.resume()
    }

    func connection(_ id: UInt64) -> Connection? { state.withLock { $0.connections[id] } }

    var all: [Connection] { state.withLock { Array($0.connections.values) } }

    /// Shuts a socket down; libmicrohttpd then sees its end and closes it. Done under the lock,
    /// since a connection that is no longer here may have a descriptor that is somebody else's by
    /// now.
    func shut(_ connection: Connection, _ how: Int32) {
        state.withLock { state in
            guard state.connections[connection.id] != nil else { return }
            _ = shutdown(connection.descriptor, how)
        }
    }

    /// Returns when the last connection has gone, or at `end` of the monotonic clock, whichever
    /// comes first. One caller at a time.
    func waitUntilEmpty(orAt end: UInt64) async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.connections.isEmpty { return true }
                state.waitsUntil = end
                state.waiter = continuation
                return false
            }
            if isEmpty { continuation.resume() }
        }
    }

    /// Ends the waiting whose time is over.
    func expireWaiting(at now: UInt64) {
        state.withLock { $0.waitsUntil <= now ? $0.waiter.take() : nil }?.resume()
    }
}
