public import Runtime
public import Values

/// The database's clock, by which all processes agree on what is early and what is late, whatever
/// their own say: read once a second, and carried on in between by a clock that nobody can set.
public final class PostgresClock: Service {
    /// A time, when it was that, and how long it took to learn.
    private struct Reading: Sendable {
        let time: Timestamp
        let at: ContinuousClock.Instant
        let took: Duration

        func time(at now: ContinuousClock.Instant) -> Timestamp { time + (now - at) }
    }

    /// What a reading may take and be better than the one before carried on: it is off by at most
    /// half of that, which is more than a monotonic clock drifts in a second.
    private static let longest = Duration.milliseconds(100)

    public let name = "database-clock"
    private let ask: @Sendable (Deadline) async throws(PostgresError) -> Timestamp
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let log: Log
    private let interval: Duration
    private let system: @Sendable () -> Timestamp
    private let last = Lock<Reading?>(nil)

    /// - Parameter system: this machine's clock, which is asked until the database was.
    public convenience init(
        _ pool: PostgresPool, log: Log, interval: Duration = .seconds(1),
        system: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.init(log: log, interval: interval, system: system) {
            (deadline) async throws(PostgresError) in
            let rows = try await pool.query("select clock_timestamp()", deadline: deadline)
            guard let row = rows.first else { throw .decoding("no row with the time") }
            return try row.timestamp(0)
        }
    }

    /// - Parameters:
    ///   - instant: the clock that nobody can set.
    ///   - ask: gives the database's time.
    init(
        log: Log, interval: Duration, system: @escaping @Sendable () -> Timestamp,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        ask: @escaping @Sendable (Deadline) async throws(PostgresError) -> Timestamp
    ) {
        self.ask = ask
        self.instant = instant
        self.log = log
        self.interval = interval
        self.system = system
    }

    /// The database's time as far as it was ever read; this machine's before that.
    public func now() -> Timestamp {
        guard let reading = last.withLock({ $0 }) else { return system() }
        return reading.time(at: instant())
    }

    /// Reads it now. The answer's way back is taken for half of the whole, so a reading that took
    /// long is dropped, unless there is none, or the last took nearly as long, or the two are
    /// further apart than both may be off: then the clock was set.
    public func read(deadline: Deadline) async throws(PostgresError) {
        let start = instant()
        let time = try await ask(deadline)
        let took = instant() - start
        let reading = Reading(time: time, at: start + took / 2, took: took)
        last.withLock { last in
            if let last, took > max(Self.longest, last.took * 2) {
                let apart = reading.time - last.time(at: reading.at)
                guard max(apart, .zero - apart) > took else { return }
            }
            last = reading
        }
    }

    /// Reads it again and again. While the database is away the last reading goes on.
    public func run(until shutdown: Shutdown) async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in await follow() }
            await shutdown.wait()
            group.cancelAll()
        }
    }

    private func follow() async {
        var isAway = false
        while !Task.isCancelled {
            do throws(PostgresError) {
                try await read(deadline: .after(.seconds(2)))
                isAway = false
            } catch {
                if !isAway, !Task.isCancelled {
                    log.warning("the database's clock could not be read", ["error": "\(error)"])
                }
                isAway = true
            }
            // Cut short, the task is cancelled and the loop ends.
            try? await Task.sleep(for: interval)
        }
    }
}
