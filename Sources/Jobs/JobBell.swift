public import Runtime

/// Wakes one waiting loop: rung before the wait, the wait returns at once; rung many times, it
/// returns once.
public final class JobBell: Sendable {
    private struct State {
        var rung = false
        var ticket = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    public init() {}

    public func ring() {
        let waiter = state.withLock { state in
            let waiter = state.waiter
            state.waiter = nil
            state.rung = waiter == nil
            return waiter
        }
        waiter?.resume()
    }

    /// Returns when it is rung, at the deadline, or when the task is cancelled. One task at a time.
    public func wait(until deadline: Deadline) async {
        let ticket = state.withLock { state in
            state.ticket += 1
            return state.ticket
        }
        let alarm = Task { [self] in
            // Cut short means that the bell was rung; `expire` then finds nobody.
            try? await Task.sleep(until: deadline.instant, clock: .continuous)
            expire(ticket)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let immediately = state.withLock { state in
                    if state.rung || Task.isCancelled {
                        state.rung = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if immediately { continuation.resume() }
            }
        } onCancel: {
            expire(ticket)
        }
        alarm.cancel()
    }

    private func expire(_ ticket: Int) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.ticket == ticket else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}

/// The bells of a process by lane: whoever commits jobs rings theirs, and so does the listener when
/// another process has.
public final class JobBells: Sendable {
    private let bells = Lock<[LaneID: [JobBell]]>([:])

    public init() {}

    public func add(_ bell: JobBell, for lanes: some Sequence<LaneID>) {
        bells.withLock { bells in
            for lane in lanes { bells[lane, default: []].append(bell) }
        }
    }

    public func ring(_ lanes: some Sequence<LaneID>) {
        let rung = bells.withLock { bells in
            var rung: [ObjectIdentifier: JobBell] = [:]
            for bell in lanes.flatMap({ bells[$0] ?? [] }) { rung[ObjectIdentifier(bell)] = bell }
            return Array(rung.values)
        }
        for bell in rung { bell.ring() }
    }
}
