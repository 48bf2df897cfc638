public import Postgres
public import Runtime
import Values

extension Ingest {
    /// Commits the calls together, in one transaction whose row-level security context is the set
    /// of their stores. If that fails for another reason than that the database is away, each call
    /// is tried alone, so that one caller's fault never answers another's.
    ///
    /// - Returns: a result per request, in order.
    public static func commit(
        _ requests: [IngestRequest], pool: PostgresPool, deadline: Deadline
    ) async -> [Result<IngestReply, PostgresError>] {
        let together = await settle(requests, pool: pool, deadline: deadline)
        switch together {
        case .success(let replies): return replies.map { .success($0) }
        case .failure(let error) where requests.count == 1 || error.isUnavailable:
            return requests.map { _ in .failure(error) }
        case .failure: break
        }
        var results: [Result<IngestReply, PostgresError>] = []
        for request in requests {
            let alone = await settle([request], pool: pool, deadline: deadline)
            results.append(
                alone.flatMap { replies in
                    replies.first.map { .success($0) } ?? .failure(.decoding("no reply"))
                })
        }
        return results
    }

    /// Runs the transaction, and once more when that may help: after a deadlock, and after a COMMIT
    /// whose answer was lost. The events bring their ids along, so the second run finds them.
    private static func settle(
        _ requests: [IngestRequest], pool: PostgresPool, deadline: Deadline
    ) async -> Result<[IngestReply], PostgresError> {
        let first = await run(requests, pool: pool, deadline: deadline)
        guard case .failure(let error) = first, error.mayBeTriedAgain, !deadline.hasPassed else {
            return first
        }
        let second = await run(requests, pool: pool, deadline: deadline)
        if case .failure = second, error == .commitUnknown { return first }
        return second
    }

    private static func run(
        _ requests: [IngestRequest], pool: PostgresPool, deadline: Deadline
    ) async -> Result<[IngestReply], PostgresError> {
        let enter = PostgresQuery(
            "select token_hash, store_id from sineta.enter_batch($1)",
            .bytesArray(Array(Set(requests.map(\.tokenHash)))))
        do {
            let replies = try await pool.transaction(
                deadline: deadline, preamble: [DatabaseRole.api.query, enter]
            ) { transaction in
                try reply(to: requests, in: transaction)
            }
            return .success(replies)
        } catch let error as PostgresError {
            return .failure(error)
        } catch {
            return .failure(.connectionLost("the transaction was given up"))
        }
    }

    private static func reply(
        to requests: [IngestRequest], in transaction: PostgresTransaction
    ) throws(PostgresError) -> [IngestReply] {
        var stores: [[UInt8]: StoreID] = [:]
        for row in transaction.preamble[1] { stores[try row.bytes(0)] = try row.id(1) }
        let events = requests.flatMap { request in
            stores[request.tokenHash] == request.store ? request.events : []
        }
        var results = try events.isEmpty ? [] : apply(events, in: transaction)[...]
        return requests.map { request in
            guard let store = stores[request.tokenHash] else { return .unauthenticated }
            guard store == request.store else { return .otherStore }
            defer { results = results.dropFirst(request.events.count) }
            return .done(Array(results.prefix(request.events.count)))
        }
    }
}

extension PostgresError {
    fileprivate var mayBeTriedAgain: Bool {
        self == .commitUnknown || isSerializationFailure
    }
}
