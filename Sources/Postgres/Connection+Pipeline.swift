import CPostgres
import Runtime

/// What became of each statement of a pipeline.
typealias PostgresOutcome = Result<PostgresRows, PostgresError>

extension Connection {
    /// Sends the statements in one go, ends them with a Sync, and reads all answers.
    ///
    /// A statement that fails keeps those behind it from running; outside a transaction all of one
    /// pipeline are one transaction (libpq-pipeline-mode.html). Throws when the connection is lost
    /// or the deadline passes; then the connection is broken.
    func run(
        _ queries: [PostgresQuery], deadline: Deadline, cancelling: Bool = true
    ) throws(PostgresError) -> [PostgresOutcome] {
        if isBroken { throw lostError }
        if deadline.hasPassed { throw .timeout }
        let limit = min(deadline, .after(statementTimeout))
        let steps = try send(queries)
        return try receive(steps, count: queries.count, Wait(until: limit, cancelling: cancelling))
    }

    /// The one statement's rows.
    func query(
        _ query: PostgresQuery, deadline: Deadline
    ) throws(PostgresError) -> PostgresRows {
        let outcomes = try run([query], deadline: deadline)
        guard let outcome = outcomes.first else { throw .decoding("no result") }
        return try outcome.get()
    }

    /// How long an answer is waited for, and whether the server is asked to stop after that.
    struct Wait {
        let deadline: Deadline
        let cancelling: Bool

        init(until deadline: Deadline, cancelling: Bool) {
            self.deadline = deadline
            self.cancelling = cancelling
        }
    }

    /// What was sent, in order: each gets one answer.
    private enum Step {
        case prepare(StatementCache.Key)
        case statement
    }

    private func send(_ queries: [PostgresQuery]) throws(PostgresError) -> [Step] {
        var steps: [Step] = []
        for query in queries {
            let parameters = Parameters(query.values)
            guard statements != nil else {
                guard sendUnprepared(query.sql, parameters) else { throw lose() }
                steps.append(.statement)
                continue
            }
            let statement = statement(for: query.sql, parameters.types)
            if statement.isNew {
                let sent = PQsendPrepare(
                    pointer, statement.name, query.sql.cString, Int32(parameters.types.count),
                    parameters.types)
                guard sent == 1 else { throw lose() }
                steps.append(.prepare(statement.key))
            }
            guard sendPrepared(statement.name, parameters) else { throw lose() }
            steps.append(.statement)
        }
        guard PQpipelineSync(pointer) == 1 else { throw lose() }
        return steps
    }

    private func statement(for sql: StaticSQL, _ types: [UInt32]) -> StatementCache.Found {
        var cache = statements ?? StatementCache()
        let found = cache.find(sql, types)
        statements = cache
        return found
    }

    private func sendPrepared(_ name: [CChar], _ parameters: Parameters) -> Bool {
        parameters.withPointers { count, values in
            PQsendQueryPrepared(
                pointer, name, count, values, parameters.lengths, parameters.formats, 1)
        } == 1
    }

    private func sendUnprepared(_ sql: StaticSQL, _ parameters: Parameters) -> Bool {
        parameters.withPointers { count, values in
            PQsendQueryParams(
                pointer, sql.cString, count, parameters.types, values, parameters.lengths,
                parameters.formats, 1)
        } == 1
    }

    private func receive(
        _ steps: [Step], count: Int, _ wait: Wait
    ) throws(PostgresError) -> [PostgresOutcome] {
        var outcomes: [PostgresOutcome] = []
        outcomes.reserveCapacity(count)
        var failure: PostgresError?
        for step in steps {
            let outcome = try answer(wait, after: failure)
            if case .failure(let error) = outcome, failure == nil { failure = error }
            switch step {
            case .prepare(let key): settle(key, outcome)
            case .statement: outcomes.append(outcome)
            }
            // After a FATAL the server says nothing more, not even the Sync.
            if let failure, isGone(failure) {
                while outcomes.count < count { outcomes.append(.failure(failure)) }
                return outcomes
            }
        }
        try expectSync(wait)
        answered()
        return outcomes
    }

    private func settle(_ key: StatementCache.Key, _ outcome: PostgresOutcome) {
        if case .failure = outcome { statements?.forget(key) }
    }

    private func isGone(_ error: PostgresError) -> Bool {
        guard error.meansServerIsGone else { return false }
        sawServerGone = true
        isRetired = true
        guard PQstatus(pointer) == CONNECTION_BAD || error.sqlState?.hasPrefix("57P") == true
        else { return false }
        breakOff()
        return true
    }

    /// One statement's result and the nil that ends it.
    private func answer(
        _ wait: Wait, after failure: PostgresError?
    ) throws(PostgresError) -> PostgresOutcome {
        guard let handle = try nextResult(wait) else { throw lose() }
        let outcome = outcome(of: handle, after: failure)
        if case .failure(let error) = outcome {
            if error.report?.meansStatementIsStale == true { isRetired = true }
            if PQstatus(pointer) == CONNECTION_BAD { return outcome }
        }
        while try nextResult(wait) != nil {}
        return outcome
    }

    func outcome(of handle: ResultHandle, after failure: PostgresError?) -> PostgresOutcome {
        switch PQresultStatus(handle.pointer) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            return .success(PostgresRows(handle))
        case PGRES_PIPELINE_ABORTED:
            return .failure(failure ?? .rolledBack)
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            breakOff()
            return .failure(.decoding("COPY cannot run in a pipeline"))
        default:
            let report = ServerReport(handle)
            if report.sqlState.isEmpty { return .failure(lose()) }
            return .failure(.server(report))
        }
    }

    private func expectSync(_ wait: Wait) throws(PostgresError) {
        guard let handle = try nextResult(wait),
            PQresultStatus(handle.pointer) == PGRES_PIPELINE_SYNC
        else { throw lose() }
    }

    /// The next result, once it has come whole; nil between two statements.
    func nextResult(_ wait: Wait) throws(PostgresError) -> ResultHandle? {
        try flush(wait)
        while PQisBusy(pointer) == 1 {
            guard poll(read: true, write: false, until: wait.deadline) != nil else {
                throw expire(cancelling: wait.cancelling)
            }
            // What the server said before it went is still in libpq's hands: read it first.
            if PQconsumeInput(pointer) == 0 { break }
        }
        return PQgetResult(pointer).map(ResultHandle.init)
    }

    /// Sends all that libpq holds back. The server's answers are taken in meanwhile: it may stop
    /// reading until somebody does.
    func flush(_ wait: Wait) throws(PostgresError) {
        while true {
            let rest = PQflush(pointer)
            if rest == 0 { return }
            if rest < 0 { return takeLastWords() }
            guard let ready = poll(read: true, write: true, until: wait.deadline) else {
                throw expire(cancelling: wait.cancelling)
            }
            if ready.read, PQconsumeInput(pointer) == 0 { return }
        }
    }

    /// A server that closed the connection may have said why before it did.
    private func takeLastWords() {
        _ = PQconsumeInput(pointer)
    }
}
