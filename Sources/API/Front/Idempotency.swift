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

    /// Begins an effect outside the database, unless this key has had it.
    ///
    /// - Returns: the first answer again, or what `body` gives for the effect to come.
    static func begin<Work>(
        _ claim: IdempotencyKeys.Claim?, in transaction: PostgresTransaction,
        with body: () throws -> Work
    ) throws -> Begun<Work> {
        guard let claim else { return .work(try body(), nil) }
        switch try IdempotencyKeys.find(claim, in: transaction) {
        case .running: throw Problem(.inProgress)
        case .kept(let kept): return .kept(try replay(kept, claim))
        case .new:
            let work = try body()
            try IdempotencyKeys.begin(claim, in: transaction)
            return .work(work, claim)
        }
    }

    /// What a request meets that may have been sent before.
    enum Begun<Work> {
        case kept(Answer)
        case work(Work, IdempotencyKeys.Claim?)
    }

    /// Ends what was begun: a refusal leaves its key free.
    static func end(
        _ claim: IdempotencyKeys.Claim?, with answer: Result<Answer, Problem>,
        in transaction: PostgresTransaction
    ) throws(PostgresError) {
        guard let claim else { return }
        switch answer {
        case .success(let answer):
            try IdempotencyKeys.keep(
                status: answer.status, body: kept(answer), for: claim, in: transaction)
        case .failure: try IdempotencyKeys.free(claim, in: transaction)
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

extension Idempotency.Begun: Sendable where Work: Sendable {}

extension Entrance {
    /// One effect outside the database, between two transactions, since none may wait for it: once
    /// for each `Idempotency-Key`.
    ///
    /// Of a process that dies in between nothing is known: for a minute the key is answered 409
    /// `in_progress`, and after that its next request has the effect once more.
    ///
    /// - Parameters:
    ///   - prepare: what is asked first; what it throws is the answer, and nothing has begun.
    ///   - act: the effect.
    ///   - conclude: writes down what came of it. Its refusal is one of the effect's, and what was
    ///     written stays.
    func once<Work: Sendable, Outcome: Sendable>(
        _ prepare: @escaping @Sendable (Caller, PostgresTransaction) throws -> Work,
        doing act: (Work) async throws -> Outcome,
        then conclude:
            @escaping @Sendable (Outcome, Work, Caller, PostgresTransaction) throws -> Result<
                Answer, Problem
            >
    ) async throws -> Answer {
        let call = call
        let begun = try await enter { caller, transaction in
            try Idempotency.begin(try Idempotency.claim(call, caller), in: transaction) {
                try prepare(caller, transaction)
            }
        }
        switch begun {
        case .kept(let answer): return answer
        case .work(let work, let claim):
            let outcome: Outcome
            do {
                outcome = try await act(work)
            } catch {
                try await free(claim)
                throw error
            }
            return try await renewed.enter { caller, transaction in
                let answer = try conclude(outcome, work, caller, transaction)
                try Idempotency.end(claim, with: answer, in: transaction)
                return answer
            }.get()
        }
    }

    private func free(_ claim: IdempotencyKeys.Claim?) async throws {
        guard let claim else { return }
        try await renewed.enter { _, transaction in
            try IdempotencyKeys.free(claim, in: transaction)
        }
    }
}
