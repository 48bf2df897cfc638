import Alerts
public import Postgres
import Runtime
public import Storage
import Values

/// How requests get into the database: each in a transaction whose row-level security knows the
/// caller.
public struct Door: Sendable {
    private let pool: PostgresPool

    public init(_ pool: PostgresPool) { self.pool = pool }

    /// Opens a transaction, enters with the credential in the same round trip, and runs `body` on
    /// the connection's thread.
    func enter<Result: Sendable>(
        _ credential: PresentedToken, as role: DatabaseRole, deadline: Deadline,
        _ body: @escaping @Sendable (Entry.Answer, PostgresTransaction) throws -> Result
    ) async throws -> Result {
        try await pool.transaction(
            deadline: deadline, preamble: Entry.preamble(credential.entry, role: role)
        ) { transaction in
            try body(try Entry.answer(of: transaction.preamble), transaction)
        }
    }

    /// Enters and reads in one round trip: the statements run as whoever comes in, and see nothing
    /// when nobody does.
    func read(
        _ credential: PresentedToken, deadline: Deadline, _ queries: [PostgresQuery]
    ) async throws(PostgresError) -> (answer: Entry.Answer, rows: [PostgresRows]) {
        let preamble = Entry.preamble(credential.entry, role: .api)
        let rows = try await pool.reading(preamble + queries, deadline: deadline)
        return (try Entry.answer(of: rows), Array(rows.dropFirst(preamble.count)))
    }

    /// Opens a transaction of nobody's, for signing in: it sees no store and no person, and gets at
    /// them through doors of the database alone.
    func open<Result: Sendable>(
        deadline: Deadline, _ body: @escaping @Sendable (PostgresTransaction) throws -> Result
    ) async throws -> Result {
        try await pool.transaction(
            deadline: deadline, preamble: Entry.preamble(role: .api), body)
    }
}

extension Call {
    /// Runs `body` in a transaction without a caller, for signing in.
    public func withoutCaller<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresTransaction) throws -> Result
    ) async throws -> Result {
        try await services.door.open(deadline: deadline, body)
    }
}

/// The caller's own way into the database, for handlers that go more than once or wait in between.
public struct Entrance: Sendable {
    private(set) var call: Call
    let endpoint: Endpoint

    /// The same with the time of a new request, for a handler that has waited for something else
    /// than the database.
    public var renewed: Entrance {
        var entrance = self
        entrance.call.deadline = .after(Front.patience)
        return entrance
    }

    /// Runs `body` in one transaction, once the caller is known and may call the endpoint.
    ///
    /// - Throws: 401, 403 or 404 before `body`; 503 when the database is away; what `body` throws.
    public func enter<Result: Sendable>(
        _ body: @escaping @Sendable (Caller, PostgresTransaction) throws -> Result
    ) async throws -> Result {
        guard let credential = call.credential, let access = endpoint.access else {
            throw Problem(.unauthenticated)
        }
        let role = access.isForOperators ? DatabaseRole.operator : .api
        return try await call.services.door.enter(credential, as: role, deadline: call.deadline) {
            answer, transaction in
            try body(try admit(answer, credential, access), transaction)
        }
    }

    /// The same in a transaction of which nothing stays.
    func enterUndone<Result: Sendable>(
        _ body: @escaping @Sendable (Caller, PostgresTransaction) throws -> Result
    ) async throws -> Result {
        try await enter { caller, transaction in
            transaction.undo()
            return try body(caller, transaction)
        }
    }

    /// Sends statements that are known beforehand in the round trip that asks who comes.
    ///
    /// What they gave is dropped when the caller may not call the endpoint; until then row-level
    /// security alone holds them to what is the caller's.
    ///
    /// - Throws: as `enter` before its body.
    func read(_ queries: () throws -> [PostgresQuery]) async throws -> (Caller, [PostgresRows]) {
        guard let credential = call.credential, let access = endpoint.access else {
            throw Problem(.unauthenticated)
        }
        // What is wrong with the request is told only to those who may call.
        let wanted = (try? call.checkForm()) == nil ? [] : try queries()
        let (answer, rows) = try await call.services.door.read(
            credential, deadline: call.deadline, wanted)
        return (try admit(answer, credential, access), rows)
    }

    private func admit(
        _ answer: Entry.Answer, _ credential: PresentedToken, _ access: Access
    ) throws(Problem) -> Caller {
        switch answer {
        case .unknown: throw Problem(.unauthenticated)
        case .sessionEnded: throw Problem(.sessionEnded)
        case .noOperator(let caller):
            try charge(caller, credential)
            try access.check(caller, in: call.path.store)
            throw Problem(.forbidden)
        case .entered(let caller):
            try charge(caller, credential)
            if call.services.checksAuthority { try access.check(caller, in: call.path.store) }
            try call.checkForm()
            return caller
        }
    }

    private func charge(_ caller: Caller, _ credential: PresentedToken) throws(Problem) {
        guard endpoint.rate == .requests else { return }
        let subject = caller.person?.session.uuid ?? caller.id
        call.services.rates.remember(credential, as: subject)
        try call.chargeRequest(to: subject)
    }
}
