import Glibc

/// The moment at which a process is asked to end, known to everything that runs in it.
public final class Shutdown: Sendable {
    private struct State {
        var begun = false
        var next = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var actions: [@Sendable () -> Void] = []
    }

    private let state = Lock(State())

    public init() {}

    /// For loops that look between two steps; `wait` is for all others.
    public var hasBegun: Bool { state.withLock { $0.begun } }

    /// Begins it; the second time does nothing.
    public func begin() {
        let (waiters, actions) = state.withLock { state in
            state.begun = true
            defer {
                state.waiters = [:]
                state.actions = []
            }
            return (Array(state.waiters.values), state.actions)
        }
        for action in actions { action() }
        for waiter in waiters { waiter.resume() }
    }

    /// Runs `action` when it begins, at once if it has.
    public func onBegin(_ action: @escaping @Sendable () -> Void) {
        let begun = state.withLock { state in
            if !state.begun { state.actions.append(action) }
            return state.begun
        }
        if begun { action() }
    }

    /// Returns when it begins, or when the waiting task is cancelled.
    public func wait() async {
        let ticket = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let immediately = state.withLock { state in
                    if state.begun || Task.isCancelled { return true }
                    state.waiters[ticket] = continuation
                    return false
                }
                if immediately { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume()
        }
    }
}

extension Shutdown {
    /// Begins at SIGTERM or SIGINT; the next signal ends the process at once with 128 + its number.
    ///
    /// - Parameter hurry: begins at the second signal, so that only the third ends the process: for
    ///   one that has others to end before itself. Must be called before any other thread exists:
    ///   the signals are blocked in the calling thread, all later threads inherit that, and one
    ///   thread waits for them.
    public static func onSignals(hurry: Shutdown? = nil) -> Shutdown {
        let shutdown = Shutdown()
        signal(SIGPIPE, SIG_IGN)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        Threads.start("signals") {
            var set = sigset_t()
            sigemptyset(&set)
            sigaddset(&set, SIGTERM)
            sigaddset(&set, SIGINT)
            while true {
                var number: Int32 = 0
                guard sigwait(&set, &number) == 0 else { continue }
                if !shutdown.hasBegun {
                    shutdown.begin()
                } else if let hurry, !hurry.hasBegun {
                    hurry.begin()
                } else {
                    _exit(128 + number)
                }
            }
        }
        return shutdown
    }
}
