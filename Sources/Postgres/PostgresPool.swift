public import Runtime

/// Connections to one database, each with a thread of its own.
///
/// Work waits in one queue, first come first served, until a connection is free or its deadline
/// has passed. Connections are made when they are needed. When a server goes away or stops being
/// the primary, all are dropped and the primary is looked for anew, with growing random pauses.
/// Nothing blocks the caller's thread. A cancelled task is not noticed: the deadline bounds it.
public final class PostgresPool: Sendable {
    let core: PoolCore

    /// As it was given.
    public var configuration: PostgresConfiguration { core.configuration }

    /// - Parameters:
    ///   - name: names the pool in metrics and threads.
    ///   - size: how many connections there are at most.
    public init(
        _ configuration: PostgresConfiguration, name: String = "main", size: Int = 8, log: Log,
        metrics: Metrics? = nil
    ) {
        precondition(size > 0, "a pool needs a connection")
        let poolMetrics = metrics.map { PoolMetrics(pool: name, $0) }
        let core = PoolCore(
            configuration: configuration, name: name, size: size, log: log, metrics: poolMetrics)
        self.core = core
        guard let metrics, let poolMetrics else { return }
        metrics.sample { [weak core] in
            guard let counts = core?.counts else { return }
            poolMetrics.connections.set(Double(counts.open), name)
            poolMetrics.inUse.set(Double(counts.inUse), name)
            poolMetrics.waiting.set(Double(counts.waiting), name)
        }
    }

    deinit { core.close() }

    /// Runs one statement by itself: it is its own transaction.
    ///
    /// - Throws: `.timeout` and `.connectionLost` leave it open whether a statement that writes
    ///   has happened.
    public func query(
        _ sql: StaticSQL, _ values: PostgresValue..., deadline: Deadline
    ) async throws(PostgresError) -> PostgresRows {
        try await query(PostgresQuery(sql, values), deadline: deadline)
    }

    /// Runs one statement by itself.
    public func query(
        _ query: PostgresQuery, deadline: Deadline
    ) async throws(PostgresError) -> PostgresRows {
        guard let rows = try await reading([query], deadline: deadline).first else {
            throw .decoding("no result")
        }
        return rows
    }

    /// Runs statements in one round trip. They are one transaction of their own, as all of a
    /// pipeline up to its Sync is, so that what is set for a transaction holds for those behind it
    /// (libpq-pipeline-mode.html). For reading: a COMMIT that fails is not told from a lost
    /// connection.
    ///
    /// - Returns: the rows of each, in order.
    /// - Throws: the first failure; those behind it have not run, and nothing stands.
    public func reading(
        _ queries: [PostgresQuery], deadline: Deadline
    ) async throws(PostgresError) -> [PostgresRows] {
        do throws(PostgresError) {
            return try await once(queries, deadline)
        } catch {
            // The schema moved under a prepared statement: nothing stands, and a new connection
            // prepares it anew.
            guard error.report?.meansStatementIsStale == true else { throw error }
            return try await once(queries, deadline)
        }
    }

    /// Runs `body` in a transaction, on the connection's own thread, without leaving it.
    ///
    /// BEGIN and `preamble` go out in one round trip, before `body`; their rows are the
    /// transaction's `preamble`. What `body` throws is thrown again after ROLLBACK.
    ///
    /// - Throws: a `PostgresError` of its own, or what `body` threw. `.commitUnknown` when COMMIT
    ///   was sent and not answered; `.rolledBack` when `body` went on after a failed statement.
    public func transaction<Result: Sendable>(
        deadline: Deadline, preamble: [PostgresQuery] = [],
        _ body: @escaping @Sendable (PostgresTransaction) throws -> Result
    ) async throws -> Result {
        let outcome: Swift.Result<Result, any Error> = await handedOver { handOver in
            submit(deadline) { connection throws(any Error) in
                try connection.transaction(deadline: deadline, preamble: preamble, body)
            } then: {
                handOver($0)
            }
        }
        return try outcome.get()
    }

    /// Ends what waits with `.closed`, lets what runs end, and closes all connections.
    public func close() async {
        core.close()
        await withCheckedContinuation { waiter in
            Threads.start("pg-close") { [core] in
                core.waitUntilEnded()
                waiter.resume()
            }
        }
    }

    private func once(
        _ queries: [PostgresQuery], _ deadline: Deadline
    ) async throws(PostgresError) -> [PostgresRows] {
        let outcome: Result<[PostgresRows], any Error> = await handedOver { handOver in
            submit(deadline) { connection throws(any Error) in
                try connection.run(queries, deadline: deadline).map { try $0.get() }
            } then: {
                handOver($0)
            }
        }
        do {
            return try outcome.get()
        } catch let error as PostgresError {
            throw error
        } catch {
            // A connection throws nothing else.
            throw .decoding("\(error)")
        }
    }

    private func submit<Value: Sendable>(
        _ deadline: Deadline, _ work: @escaping @Sendable (Connection) throws -> Value,
        then finish: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let core = core
        core.submit(
            PoolJob(deadline: deadline) { connection, settle in
                let outcome = Result { try work(try connection.get()) }
                if case .failure(let error as PostgresError) = outcome {
                    core.metrics?.errors.add(1, core.name, error.code)
                }
                settle()
                finish(outcome)
            })
    }
}
