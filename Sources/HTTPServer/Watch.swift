import CMicrohttpd
import Glibc
import Runtime
import Synchronization

/// A thread that sees what libmicrohttpd does not: requests that come too slowly (its timeout
/// counts inactivity, so one byte a second lasts for ever) and clients that leave a stream which
/// has nothing to send.
final class Watch: Sendable {
    private static let wake: UInt64 = 0
    private let epoll: Int32
    private let event: Int32
    private let isStopped = Atomic(false)

    /// - Parameter tick: how often, in milliseconds, `check` is called with the monotonic time.
    init(
        tick: Int32, peerLeft: @escaping @Sendable (UInt64) -> Void,
        check: @escaping @Sendable (UInt64) -> Void
    ) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        event = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(epoll >= 0 && event >= 0, "no descriptors left to watch connections with")
        _ = sineta_epoll_add(epoll, event, sineta_epoll_readable, Self.wake)
        Threads.start("http-watch") { [self] in
            work(tick: tick, peerLeft: peerLeft, check: check)
        }
    }

    /// Tells once when the peer of the descriptor has left, or has said that it sends no more.
    func add(_ connection: Connection) {
        // A descriptor that is there already is being watched: a second stream on one connection.
        _ = sineta_epoll_add(
            epoll, connection.descriptor, sineta_epoll_peer_gone, connection.id)
    }

    /// The thread holds the watch as long as it runs, so nobody uses the descriptors any more.
    deinit {
        close(epoll)
        close(event)
    }

    /// Ends the thread.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        eventfd_write(event, 1)
    }

    private func work(
        tick: Int32, peerLeft: @Sendable (UInt64) -> Void, check: @Sendable (UInt64) -> Void
    ) {
        var tokens = [UInt64](repeating: 0, count: 64)
        while !isStopped.load(ordering: .acquiring) {
            let count = sineta_epoll_wait(epoll, &tokens, tick)
            for token in tokens.prefix(max(0, Int(count))) where token != Self.wake {
                peerLeft(token)
            }
            check(monotonicNanoseconds())
        }
    }
}
