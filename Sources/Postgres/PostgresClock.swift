public import Runtime
public import Values

/// The database's clock, by which all processes agree on what is early and what is late, whatever
/// their own say: read once a second, and carried on in between by a clock that nobody can set.
public final class PostgresClock: Service {
    /// A time, and when it was that.
    private struct Reading: Sendable {
        let time: Timestamp
        let at: ContinuousClock.Instant
    }

    public let name = "database-clock"
    private let pool: PostgresPool
    private let log: Log
    private let interval: Duration
    private let system: @Sendable () -> Timestamp
    private let last = Lock<Reading?>(nil)

    /// - Parameter system: this machine's clock, which is asked until the database was.
    public init(
        _ pool: PostgresPool, log: Log, interval: Duration = .seconds(1),
        system: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.pool = pool
        self.log = log
        self.interval = interval
        self.system = system
    }

    /// The database's time as far as it was ever read; this machine's before that.
    public func now() -> Timestamp {
        guard let reading = last.withLock({ $0 }) else { return system() }
        return reading.time + (ContinuousClock.now - reading.at)
    }

    /// Reads it now. The answer's way back is taken for half of the whole.
    public func read(deadline: Deadline) async throws(PostgresError) {
        let start = ContinuousClock.now
        let rows = try await pool.query("select clock_timestamp()", deadline: deadline)
        let end = ContinuousClock.now
        guard let row = rows.first else { throw .decoding("no row with the time") }
        let reading = Reading(time: try row.timestamp(0), at: start + (end - start) / 2)
        last.withLock { $0 = reading }
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
