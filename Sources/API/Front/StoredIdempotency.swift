public import Postgres
import Storage

/// The records of answers in the database, as the front asks for them.
public struct StoredIdempotency: IdempotencyRecords {
    public init() {}

    public func find(
        _ claim: IdempotencyClaim, in transaction: PostgresTransaction
    ) throws -> IdempotencyFinding {
        switch try Storage.Idempotency.begin(claim.storageKey, in: transaction) {
        case .fresh: .new
        case .inProgress: .running
        case .replay(let status, let body):
            .kept(KeptAnswer(fingerprint: claim.fingerprint, status: status, body: body))
        case .oneTimeSecret:
            .kept(KeptAnswer(fingerprint: claim.fingerprint, status: 409, body: nil))
        case .mismatch: .kept(KeptAnswer(fingerprint: [], status: 422, body: []))
        }
    }

    public func keep(
        _ answer: KeptAnswer, for claim: IdempotencyClaim, in transaction: PostgresTransaction
    ) throws {
        try Storage.Idempotency.keep(
            claim.storageKey, status: answer.status, body: answer.body, in: transaction)
    }
}

extension IdempotencyClaim {
    fileprivate var storageKey: IdempotencyKey {
        IdempotencyKey(caller: caller, route: route, key: key, bodyHash: fingerprint)
    }
}
