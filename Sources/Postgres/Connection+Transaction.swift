import CPostgres
import Runtime

extension Connection {
    /// BEGIN and the preamble in one round trip, `body`, COMMIT; ROLLBACK when anything throws, or
    /// the body asked for it.
    func transaction<Result>(
        deadline: Deadline, preamble: [PostgresQuery],
        _ body: (PostgresTransaction) throws -> Result
    ) throws -> Result {
        let rows: [PostgresRows]
        do throws(PostgresError) {
            rows = try begin(preamble, deadline)
        } catch {
            rollback(deadline)
            throw error
        }
        let transaction = PostgresTransaction(self, preamble: rows, deadline: deadline)
        let result: Result
        do {
            defer { transaction.end() }
            result = try body(transaction)
        } catch {
            rollback(deadline)
            throw error
        }
        if transaction.isUndone {
            rollback(deadline)
        } else {
            try commit(transaction.atCommit, deadline)
        }
        return result
    }

    private func begin(
        _ preamble: [PostgresQuery], _ deadline: Deadline
    ) throws(PostgresError) -> [PostgresRows] {
        let outcomes = try run([PostgresQuery("BEGIN")] + preamble, deadline: deadline)
        var rows: [PostgresRows] = []
        for outcome in outcomes { rows.append(try outcome.get()) }
        return Array(rows.dropFirst())
    }

    /// - Parameter last: run before COMMIT and sent with it.
    private func commit(
        _ last: [PostgresQuery], _ deadline: Deadline
    ) throws(PostgresError) {
        if isBroken { throw lostError }
        if deadline.hasPassed {
            breakOff()
            throw .timeout
        }
        notices.reset()
        let outcomes: [PostgresOutcome]
        do throws(PostgresError) {
            outcomes = try run(
                last + [PostgresQuery("COMMIT")], deadline: deadline, cancelling: false)
        } catch {
            throw .commitUnknown
        }
        // Of a pipeline nothing runs behind what failed, so that there was no COMMIT.
        for case .failure(let error) in outcomes.dropLast() where !error.meansServerIsGone {
            rollback(deadline)
            throw error
        }
        switch outcomes.last {
        case .success(let rows):
            if notices.sawReplicationWaitEnd { throw .commitUnknown }
            // A transaction in which a statement failed is answered with ROLLBACK, and no error.
            guard rows.tag == "COMMIT" else { throw .rolledBack }
        case .failure(let error):
            throw error.meansServerIsGone ? .commitUnknown : error
        case nil:
            throw .commitUnknown
        }
    }

    /// Without time for a ROLLBACK, closing the connection is one.
    private func rollback(_ deadline: Deadline) {
        if isBroken || PQtransactionStatus(pointer) == PQTRANS_IDLE { return }
        do throws(PostgresError) {
            let outcomes = try run([PostgresQuery("ROLLBACK")], deadline: deadline)
            for outcome in outcomes { _ = try outcome.get() }
        } catch {
            // The caller hears the error that led here.
            breakOff()
        }
    }

    /// Asks for nothing and waits for the answer, to know that somebody is there.
    func probe(deadline: Deadline) -> Bool {
        do throws(PostgresError) {
            _ = try query("SELECT 1", deadline: deadline)
            return true
        } catch {
            return false
        }
    }

    func query(_ sql: StaticSQL, deadline: Deadline) throws(PostgresError) -> PostgresRows {
        try query(PostgresQuery(sql), deadline: deadline)
    }

    /// Looks, without waiting, whether the server has ended the idle connection.
    func isStillOpen() -> Bool {
        for _ in 0..<4 {
            guard let ready = poll(read: true, write: false, until: .after(.zero)), ready.read
            else { break }
            guard PQconsumeInput(pointer) == 1 else { return lostWhileIdle() }
            // Notices are parsed on the way to the notifications.
            while let note = PQnotifies(pointer) { PQfreemem(note) }
            if notices.sawServerGone || PQstatus(pointer) == CONNECTION_BAD {
                return lostWhileIdle()
            }
        }
        return true
    }

    private func lostWhileIdle() -> Bool {
        _ = lose()
        return false
    }
}
