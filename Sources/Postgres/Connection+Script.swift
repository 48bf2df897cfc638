import CPostgres
import Runtime

extension Connection {
    var isInTransaction: Bool { PQtransactionStatus(pointer) == PQTRANS_INTRANS }

    /// Runs statements of the simple protocol, all in one transaction unless they say otherwise.
    /// For migrations and for making databases; the text comes from this binary, never from
    /// outside.
    func runScript(_ sql: String, deadline: Deadline) throws(PostgresError) {
        if isBroken { throw lostError }
        if deadline.hasPassed { throw .timeout }
        let wait = Wait(until: min(deadline, .after(statementTimeout)), cancelling: true)
        guard PQexitPipelineMode(pointer) == 1 else { throw lose() }
        guard PQsendQuery(pointer, sql) == 1 else { throw lose() }
        var failure: PostgresError?
        while let handle = try nextResult(wait) {
            if case .failure(let error) = outcome(of: handle, after: failure), failure == nil {
                failure = error
            }
            if PQstatus(pointer) == CONNECTION_BAD || isBroken { break }
        }
        if PQstatus(pointer) == CONNECTION_BAD {
            let lost = lose()
            throw failure ?? lost
        }
        guard PQenterPipelineMode(pointer) == 1 else { throw lose() }
        answered()
        if let failure { throw failure }
    }
}
