import Alerts
import Cryptography
import HTTPServer
public import Postgres
import Storage
public import Values

/// One request that is to have one effect, however often it is sent.
public struct IdempotencyClaim: Sendable, Equatable {
    /// A person's or an API token's id.
    public let caller: UUID
    /// Method and path pattern.
    public let route: String
    /// What the caller sent in `Idempotency-Key`.
    public let key: String
    /// SHA-256 over target and body: 32 bytes that tell another request under the same key.
    public let fingerprint: [UInt8]
}

/// What was answered the first time.
public struct KeptAnswer: Sendable, Equatable {
    public let fingerprint: [UInt8]
    public let status: Int
    /// Its JSON, empty for none; nil when it held a secret and so was not kept.
    public let body: [UInt8]?

    public init(fingerprint: [UInt8], status: Int, body: [UInt8]?) {
        self.fingerprint = fingerprint
        self.status = status
        self.body = body
    }
}

public enum IdempotencyFinding: Sendable, Equatable {
    /// Nobody has sent it, and nobody else will while this transaction runs.
    case new
    /// A twin runs in another transaction.
    case running
    case kept(KeptAnswer)
}

/// Where answers are kept for 24 hours: written in the transaction of the effect, so that both are
/// there or neither is.
public protocol IdempotencyRecords: Sendable {
    /// Looks for the claim, and takes a lock on it that ends with the transaction.
    func find(
        _ claim: IdempotencyClaim, in transaction: PostgresTransaction
    ) throws -> IdempotencyFinding

    func keep(
        _ answer: KeptAnswer, for claim: IdempotencyClaim, in transaction: PostgresTransaction
    ) throws
}

/// The HTTP side of it.
struct Idempotency {
    let records: any IdempotencyRecords
    let transaction: PostgresTransaction

    /// The claim of a request that carries a key.
    static func claim(_ call: Call, _ caller: Caller) throws(Problem) -> IdempotencyClaim? {
        let keys = call.request.headers.values("Idempotency-Key")
        guard let key = keys.first else { return nil }
        guard keys.count == 1, (1...255).contains(key.utf8.count),
            key.utf8.allSatisfy({ $0 >= 0x21 && $0 <= 0x7E })
        else {
            throw .invalid(
                "/Idempotency-Key", .length, "must be one of 1 to 255 printable ASCII characters")
        }
        let target = "\(call.request.path)?\(call.request.query)\n"
        return IdempotencyClaim(
            caller: caller.id, route: call.route, key: key,
            fingerprint: SHA256.hash(Array(target.utf8) + call.request.body))
    }

    /// The first answer again, or that of `body`, which is then kept.
    func answer(
        _ claim: IdempotencyClaim, orOf body: () throws -> Answer
    ) throws -> Answer {
        switch try records.find(claim, in: transaction) {
        case .running: throw Problem(.inProgress)
        case .kept(let kept): return try replay(kept, claim)
        case .new:
            let answer = try body()
            try records.keep(kept(answer, claim), for: claim, in: transaction)
            return answer
        }
    }

    private func replay(_ kept: KeptAnswer, _ claim: IdempotencyClaim) throws(Problem) -> Answer {
        guard kept.fingerprint == claim.fingerprint else { throw Problem(.idempotencyMismatch) }
        guard let body = kept.body else { throw Problem(.oneTimeSecret) }
        return Answer(status: kept.status, content: body.isEmpty ? .none : .json(body))
            .with("Idempotency-Replayed", "true")
    }

    private func kept(_ answer: Answer, _ claim: IdempotencyClaim) -> KeptAnswer {
        var body: [UInt8]? = []
        if case .json(let bytes) = answer.content { body = bytes }
        return KeptAnswer(
            fingerprint: claim.fingerprint, status: answer.status,
            body: answer.holdsSecret ? nil : body)
    }
}
