import Alerts
import Cryptography
import HTTPServer
import Postgres
import Storage

/// One effect for one key, however often the request is sent: the HTTP side of it.
enum Idempotency {
    /// The claim of a request that carries a key.
    static func claim(
        _ call: Call, _ caller: Caller
    ) throws(Problem) -> IdempotencyKeys.Claim? {
        let keys = call.request.headers.values("Idempotency-Key")
        guard let key = keys.first else { return nil }
        guard keys.count == 1, (1...255).contains(key.utf8.count),
            key.utf8.allSatisfy({ $0 >= 0x21 && $0 <= 0x7E })
        else {
            throw .invalid(
                "/Idempotency-Key", .length, "must be one of 1 to 255 printable ASCII characters")
        }
        let target = "\(call.request.path)?\(call.request.query)\n"
        return IdempotencyKeys.Claim(
            caller: caller.id, route: call.route, key: key,
            fingerprint: SHA256.hash(Array(target.utf8) + call.request.body))
    }

    /// The first answer again, or that of `body`, which is then kept.
    static func answer(
        _ claim: IdempotencyKeys.Claim, in transaction: PostgresTransaction,
        orOf body: () throws -> Answer
    ) throws -> Answer {
        switch try IdempotencyKeys.find(claim, in: transaction) {
        case .running: throw Problem(.inProgress)
        case .kept(let kept): return try replay(kept, claim)
        case .new:
            let answer = try body()
            try IdempotencyKeys.keep(
                status: answer.status, body: kept(answer), for: claim, in: transaction)
            return answer
        }
    }

    private static func replay(
        _ kept: IdempotencyKeys.Kept, _ claim: IdempotencyKeys.Claim
    ) throws(Problem) -> Answer {
        guard kept.fingerprint == claim.fingerprint else { throw Problem(.idempotencyMismatch) }
        guard let body = kept.body else { throw Problem(.oneTimeSecret) }
        return Answer(status: kept.status, content: body.isEmpty ? .none : .json(body))
            .with("Idempotency-Replayed", "true")
    }

    /// The JSON of an answer, empty for none; nil for one that must not be kept.
    private static func kept(_ answer: Answer) -> [UInt8]? {
        if answer.holdsSecret { return nil }
        if case .json(let bytes) = answer.content { return bytes }
        return []
    }
}
