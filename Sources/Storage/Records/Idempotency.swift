public import Postgres
public import Values

/// What an `Idempotency-Key` stands for: the caller, the route, the caller's key and what was sent.
public struct IdempotencyKey: Sendable {
    /// `Caller.id`.
    public let caller: UUID
    /// Method and path pattern.
    public let route: String
    public let key: String
    public let bodyHash: [UInt8]

    public init(caller: UUID, route: String, key: String, bodyHash: [UInt8]) {
        self.caller = caller
        self.route = route
        self.key = key
        self.bodyHash = bodyHash
    }
}

/// Answers that are given again: the record is written in the transaction of the effect, so a crash
/// leaves nothing behind.
public enum Idempotency {
    public enum Answer: Sendable, Equatable {
        /// Nobody came with this key: do it, and `keep` what is answered.
        case fresh
        /// Done before: this was answered.
        case replay(status: Int, body: [UInt8])
        /// Done before, and its answer held a secret.
        case oneTimeSecret
        /// The key stands for something else.
        case mismatch
        /// A twin is running.
        case inProgress
    }

    /// Takes the key until the transaction ends. For 24 hours a key means one thing.
    public static func begin(
        _ key: IdempotencyKey, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Answer {
        // In this order: a twin that ends between the two has left its record by then.
        let rows = try transaction.pipeline([
            PostgresQuery(
                """
                select pg_try_advisory_xact_lock(
                  hashtextextended('sineta.idempotency ' || $1::text || ' ' || $2 || ' ' || $3, 0))
                """, .uuid(key.caller), .text(key.route), .text(key.key)),
            PostgresQuery(
                """
                select body_hash = $4, status, answer from sineta.idempotency_keys
                where caller = $1 and route = $2 and key = $3
                  and created_at > now() - interval '24 hours'
                """,
                .uuid(key.caller), .text(key.route), .text(key.key), .bytes(key.bodyHash)),
        ])
        if let row = rows[1].first {
            guard try row.bool(0) else { return .mismatch }
            guard let body = try row.optionalBytes(2) else { return .oneTimeSecret }
            return .replay(status: try row.int(1), body: body)
        }
        return try rows[0][0].bool(0) ? .fresh : .inProgress
    }

    /// Keeps what is answered.
    ///
    /// - Parameter body: nil for an answer that carries a secret.
    public static func keep(
        _ key: IdempotencyKey, status: Int, body: [UInt8]?, in transaction: PostgresTransaction
    ) throws(PostgresError) {
        _ = try transaction.query(
            """
            insert into sineta.idempotency_keys (caller, route, key, body_hash, status, answer)
            values ($1, $2, $3, $4, $5, $6)
            on conflict (caller, route, key) do update set body_hash = excluded.body_hash,
              status = excluded.status, answer = excluded.answer, created_at = excluded.created_at
            """,
            .uuid(key.caller), .text(key.route), .text(key.key), .bytes(key.bodyHash),
            .int16(Int16(clamping: status)), .optionalBytes(body))
    }
}
