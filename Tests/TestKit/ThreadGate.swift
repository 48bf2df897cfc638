import Foundation
import Runtime

/// A gate that holds threads up and counts them, so that a test can look at work that is under way.
public final class ThreadGate: @unchecked Sendable {
    // @unchecked: the variables are touched only while `condition` is locked.
    private let condition = NSCondition()
    private var isClosed = false
    private var inside = 0

    public init() {}

    /// Blocks the calling thread while the gate is closed; never called on Swift's pool.
    public func pass() {
        condition.lock()
        inside += 1
        condition.broadcast()
        while isClosed { condition.wait() }
        inside -= 1
        condition.unlock()
    }

    /// Who comes from now on waits.
    public func close() {
        condition.lock()
        isClosed = true
        condition.unlock()
    }

    /// Lets all go on.
    public func open() {
        condition.lock()
        isClosed = false
        condition.broadcast()
        condition.unlock()
    }

    /// How many threads wait at the gate.
    public var count: Int {
        condition.lock()
        defer { condition.unlock() }
        return inside
    }

    /// Waits until so many threads are at the gate.
    ///
    /// - Returns: whether they were within a minute.
    public func waits(for wanted: Int) async -> Bool {
        await handedOver { handOver in
            Threads.start("test-gate") { [self] in handOver(waitHere(for: wanted)) }
        }
    }

    private func waitHere(for wanted: Int) -> Bool {
        let end = Date(timeIntervalSinceNow: 60)
        condition.lock()
        defer { condition.unlock() }
        while inside < wanted {
            if !condition.wait(until: end) { return inside >= wanted }
        }
        return true
    }
}
