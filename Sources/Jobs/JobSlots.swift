import Runtime

/// How many jobs a runner may have in hand, and how many it has.
public final class JobSlots: Sendable {
    private struct State {
        var taken = 0
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    public let total: Int
    private let state = Lock(State())
    private let bell: JobBell
    private let ringsFrom: Int

    /// - Parameter ringsFrom: releases ring the bell when at least so many are free.
    public init(total: Int, ringsFrom: Int, bell: JobBell) {
        self.total = total
        self.ringsFrom = ringsFrom
        self.bell = bell
    }

    public var taken: Int { state.withLock { $0.taken } }
    public var free: Int { max(0, total - taken) }

    func take(_ count: Int) { state.withLock { $0.taken += count } }

    /// Says that `count` jobs have ended and are written back.
    public func release(_ count: Int) {
        guard count > 0 else { return }
        let (free, idle) = state.withLock { state in
            state.taken -= count
            defer { if state.taken == 0 { state.idle = [] } }
            return (total - state.taken, state.taken == 0 ? state.idle : [])
        }
        for waiter in idle { waiter.resume() }
        if free >= ringsFrom { bell.ring() }
    }

    /// Returns once nothing is in hand.
    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.taken > 0 { state.idle.append(continuation) }
                return state.taken <= 0
            }
            if isIdle { continuation.resume() }
        }
    }
}
