import Runtime

/// How many jobs a runner may have in hand, and how many it has.
public final class JobSlots: Sendable {
    public let total: Int
    private let count = Lock(0)
    private let idle = JobBell()
    private let bell: JobBell
    private let ringsFrom: Int

    /// - Parameter ringsFrom: releases ring the bell when at least so many are free.
    public init(total: Int, ringsFrom: Int, bell: JobBell) {
        self.total = total
        self.ringsFrom = ringsFrom
        self.bell = bell
    }

    public var taken: Int { count.withLock { $0 } }
    public var free: Int { max(0, total - taken) }

    func take(_ number: Int) { count.withLock { $0 += number } }

    /// Says that `number` jobs have ended and are written back.
    public func release(_ number: Int) {
        guard number > 0 else { return }
        let taken = count.withLock { taken in
            taken -= number
            return taken
        }
        if taken <= 0 { idle.ring() }
        if total - taken >= ringsFrom { bell.ring() }
    }

    /// Returns once nothing is in hand, or when the task is cancelled: the grace is over then, and
    /// what is still out there comes back by its lease.
    func waitUntilIdle() async {
        while taken > 0, !Task.isCancelled { await idle.wait(until: .after(.seconds(1))) }
    }
}
