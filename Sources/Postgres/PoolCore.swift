import Runtime

/// What the threads of a pool share: the queue, the counts, and when to try the server again.
final class PoolCore: @unchecked Sendable {
    // @unchecked: every `var` is touched only while `gate` is locked.
    private enum Condition {
        static let work = 0
        static let connect = 1
        static let janitor = 2
        static let ended = 3
    }

    let configuration: PostgresConfiguration
    let name: String
    let size: Int
    let log: Log
    let metrics: PoolMetrics?

    private let gate = Gate(conditions: 4)
    private var queue = PoolQueue()
    private var isClosed = false
    /// Those that hold, or will hold, a connection.
    private var workers = 0
    /// The workers and the janitor, none of which has ended.
    private var threads = 0
    private var hasJanitor = false
    private var janitorWakes: Deadline?

    private var live = 0
    private var idle = 0
    private var unconnected = 0
    private var connecting = 0

    /// Connections of an earlier generation are closed instead of used.
    private var generation = 0
    private var host = 0
    private var failures = 0
    private var retryAt: Deadline?
    private var lastFailure: PostgresError?
    /// A statement got no answer then; connections silent since before have to prove themselves.
    private var suspectSince: ContinuousClock.Instant?

    init(
        configuration: PostgresConfiguration, name: String, size: Int, log: Log,
        metrics: PoolMetrics?
    ) {
        self.configuration = configuration
        self.name = name
        self.size = size
        self.log = log
        self.metrics = metrics
    }

    struct Counts {
        let open: Int
        let inUse: Int
        let waiting: Int
    }

    var counts: Counts {
        gate.lock()
        defer { gate.unlock() }
        return Counts(open: live, inUse: live - idle, waiting: queue.count)
    }

    /// Puts work at the end of the queue.
    func submit(_ job: PoolJob) {
        gate.lock()
        if isClosed {
            gate.unlock()
            return job.run(.failure(.closed))
        }
        queue.append(job)
        gate.signal(Condition.work)
        grow()
        watch(job.deadline)
        gate.unlock()
    }

    /// Refuses new work and what waits, and returns when what runs has ended.
    func close() {
        gate.lock()
        isClosed = true
        let left = queue.takeAll { _ in true }
        for condition in [Condition.work, Condition.connect, Condition.janitor] {
            gate.broadcast(condition)
        }
        gate.unlock()
        for job in left { job.run(.failure(.closed)) }
    }

    func waitUntilEnded() {
        gate.lock()
        while threads > 0 { gate.wait(Condition.ended) }
        gate.unlock()
    }

    /// Every open connection is replaced before its next use. A connection that outlived an earlier
    /// drop says nothing about those that were made since.
    func dropAll(of dead: Int, _ reason: PostgresError) {
        gate.lock()
        let isNews = dead == generation
        if isNews {
            generation += 1
            gate.broadcast(Condition.work)
        }
        gate.unlock()
        guard isNews else { return }
        log.warning("database connections dropped", ["pool": .text(name), "error": "\(reason)"])
    }
}

// MARK: - A connection's thread

extension PoolCore {
    /// What a thread of the pool has to do next.
    enum Order {
        case run(PoolJob, suspectSince: ContinuousClock.Instant?)
        case connect(generation: Int, host: Int)
        case discard
        case end
    }

    /// Waits for something to do for the thread that holds `connection`.
    func next(_ connection: Connection?) -> Order {
        gate.lock()
        defer { gate.unlock() }
        while true {
            if isClosed && queue.isEmpty { return leave(connection) }
            guard let connection else {
                if let order = wantConnection() { return order }
                continue
            }
            if connection.generation != generation {
                live -= 1
                return .discard
            }
            if let job = queue.takeFirst() {
                grow()
                return .run(job, suspectSince: suspectSince)
            }
            idle += 1
            gate.wait(Condition.work)
            idle -= 1
        }
    }

    private func leave(_ connection: Connection?) -> Order {
        if connection != nil { live -= 1 }
        threads -= 1
        gate.broadcast(Condition.ended)
        return .end
    }

    /// The order to connect, or nil after having waited. While the server does not answer, one
    /// thread alone tries it.
    private func wantConnection() -> Order? {
        let isWanted = queue.count > idle + connecting && (failures == 0 || connecting == 0)
        guard isWanted else {
            unconnected += 1
            gate.wait(Condition.connect)
            unconnected -= 1
            return nil
        }
        if let retryAt, !retryAt.hasPassed {
            gate.wait(Condition.connect, until: retryAt)
            return nil
        }
        connecting += 1
        return .connect(generation: generation, host: host)
    }

    func connected(to host: Int) {
        gate.lock()
        defer { gate.unlock() }
        connecting -= 1
        live += 1
        failures = 0
        retryAt = nil
        lastFailure = nil
        self.host = host
        grow()
    }

    func failedToConnect(_ error: PostgresError) {
        gate.lock()
        connecting -= 1
        failures += 1
        lastFailure = error
        let attempt = failures
        let pause = Self.backoff(attempt)
        retryAt = .after(pause)
        gate.unlock()
        log.warning(
            "database connection failed",
            ["pool": .text(name), "attempt": .count(attempt), "error": "\(error)"])
    }

    /// 50 ms, doubled for each failure up to 2 s, scaled by a random factor from 0.5 to 1 so that
    /// the processes of a fleet do not come back together.
    static func backoff(_ failures: Int) -> Duration {
        let milliseconds = min(2000, 50 << min(failures - 1, 10))
        return .milliseconds(milliseconds) * Double.random(in: 0.5...1)
    }

    func putBack(_ job: PoolJob) {
        gate.lock()
        queue.putBack(job)
        gate.unlock()
    }

    /// The thread's connection is gone for good.
    func lost(timedOut: Bool) {
        gate.lock()
        live -= 1
        if timedOut { suspectSince = .now }
        gate.unlock()
    }

    /// Sees to it that somebody comes for what waits. The gate is locked.
    private func grow() {
        guard queue.count > idle + connecting else { return }
        if unconnected > 0 {
            gate.signal(Condition.connect)
        } else if workers < size {
            workers += 1
            threads += 1
            Threads.start("pg-\(name)") { [self] in PoolWorker(self).work() }
        }
    }
}

// MARK: - Deadlines of those who wait

extension PoolCore {
    /// Makes the janitor wake by `deadline`. The gate is locked.
    private func watch(_ deadline: Deadline) {
        if !hasJanitor {
            hasJanitor = true
            threads += 1
            Threads.start("pg-deadlines") { [self] in expireUntilClosed() }
        }
        if let janitorWakes, janitorWakes <= deadline { return }
        janitorWakes = deadline
        gate.signal(Condition.janitor)
    }

    private func expireUntilClosed() {
        gate.lock()
        while !isClosed {
            let expired = queue.takeAll { $0.deadline.hasPassed }
            if expired.isEmpty {
                janitorWakes = queue.earliestDeadline
                gate.wait(Condition.janitor, until: janitorWakes)
                continue
            }
            let error = reasonForWaiting
            gate.unlock()
            for job in expired { job.run(.failure(error)) }
            gate.lock()
        }
        threads -= 1
        gate.broadcast(Condition.ended)
        gate.unlock()
    }

    private var reasonForWaiting: PostgresError {
        if live > 0 { return .poolTimeout }
        return lastFailure ?? .unreachable("no answer from \(configuration.servers)")
    }
}
