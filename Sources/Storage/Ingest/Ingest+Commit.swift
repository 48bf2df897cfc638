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

    /// In the belief that every token still is its store's, the events go in with the entrance, in
    /// one round trip; where it is not, nothing of that is kept and each caller is asked for first.
    private static func run(
        _ requests: [IngestRequest], pool: PostgresPool, deadline: Deadline
    ) async -> Result<[IngestReply], PostgresError> {
        let intake = Intake(requests.flatMap(\.events))
        let believing = await transaction(
            requests, pool: pool, deadline: deadline, with: [intake.insert]
        ) { stores, transaction in
            guard requests.allSatisfy({ stores[$0.tokenHash] == $0.store }) else {
                throw Stranger()
            }
            let results = try intake.finish(transaction.preamble[2], in: transaction)
            return share(results, requests, stores)
        }
        switch believing {
        case .success(let replies): return .success(replies)
        case .failure(let error as PostgresError) where !error.isRefused: return .failure(error)
        case .failure: return await runAsking(requests, pool: pool, deadline: deadline)
        }
    }

    private static func runAsking(
        _ requests: [IngestRequest], pool: PostgresPool, deadline: Deadline
    ) async -> Result<[IngestReply], PostgresError> {
        let outcome = await transaction(requests, pool: pool, deadline: deadline) {
            stores, transaction in
            let events = requests.flatMap { request in
                stores[request.tokenHash] == request.store ? request.events : []
            }
            return share(
                try events.isEmpty ? [] : apply(events, in: transaction), requests, stores)
        }
        return outcome.mapError { error in
            error as? PostgresError ?? .connectionLost("the transaction was given up")
        }
    }

    /// A token that is no longer, or not that store's.
    private struct Stranger: Error {}

    private typealias Stores = [[UInt8]: StoreID]

    private static func transaction(
        _ requests: [IngestRequest], pool: PostgresPool, deadline: Deadline,
        with more: [PostgresQuery] = [],
        _ body: @escaping @Sendable (Stores, PostgresTransaction) throws -> [IngestReply]
    ) async -> Result<[IngestReply], any Error> {
        let enter = PostgresQuery(
            "select token_hash, store_id from sineta.enter_batch($1)",
            .bytesArray(Array(Set(requests.map(\.tokenHash)))))
        do {
            return .success(
                try await pool.transaction(
                    deadline: deadline, preamble: [DatabaseRole.api.query, enter] + more
                ) { transaction in
                    var stores: Stores = [:]
                    for row in transaction.preamble[1] { stores[try row.bytes(0)] = try row.id(1) }
                    return try body(stores, transaction)
                })
        } catch {
            return .failure(error)
        }
    }

    /// Each request's part of the results, which are those of the requests that were let in.
    private static func share(
        _ results: [IngestResult], _ requests: [IngestRequest], _ stores: Stores
    ) -> [IngestReply] {
        var rest = results[...]
        return requests.map { request in
            guard let store = stores[request.tokenHash] else { return .unauthenticated }
            guard store == request.store else { return .otherStore }
            defer { rest = rest.dropFirst(request.events.count) }
            return .done(Array(rest.prefix(request.events.count)))
        }
    }
}

extension PostgresError {
    fileprivate var mayBeTriedAgain: Bool {
        self == .commitUnknown || isSerializationFailure
    }
}
