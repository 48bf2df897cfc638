public import Postgres
public import Values

/// The first answers to requests with an `Idempotency-Key`: written in the transaction of their
/// effect, so that both are there or neither is. For 24 hours a key means one thing.
///
/// An effect outside the database, as a push, is begun in one transaction and its answer kept in a
/// second: between the two a twin finds it running.
public enum IdempotencyKeys {
    /// The status of an effect that was begun and of whose end nothing was written.
    private static let begun: Int16 = 0

    /// One request that is to have one effect, however often it is sent.
    public struct Claim: Sendable, Equatable {
        /// A person's or an API token's id, that of this transaction's caller.
        public let caller: UUID
        /// Method and path pattern.
        public let route: String
        /// What the caller sent.
        public let key: String
        /// 32 bytes that tell another request under the same key.
        public let fingerprint: [UInt8]

        public init(caller: UUID, route: String, key: String, fingerprint: [UInt8]) {
            self.caller = caller
            self.route = route
            self.key = key
            self.fingerprint = fingerprint
        }
    }

    /// What was answered the first time.
    public struct Kept: Sendable, Equatable {
        /// Of the first request; another one under this key is refused.
        public let fingerprint: [UInt8]
        /// The HTTP status.
        public let status: Int
        /// Nil when it held a secret and so was not kept.
        public let body: [UInt8]?
    }

    /// What is known of a claim.
    public enum Finding: Sendable, Equatable {
        /// Nobody has sent it, and nobody else will while this transaction runs.
        case new
        /// A twin runs in another transaction, or began its effect less than a minute ago: after that
        /// its process has died, and what became of the effect nobody knows.
        case running
        case kept(Kept)
    }

    /// Looks for the claim, and takes a lock on it that ends with the transaction.
    public static func find(
        _ claim: Claim, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Finding {
        // Two statements, since the second must see what a twin committed before the first.
        let rows = try transaction.pipeline([
            PostgresQuery(
                "select pg_try_advisory_xact_lock(hashtextextended($1, 0))",
                .text("idempotency \(claim.caller) \(claim.route) \(claim.key)")),
            PostgresQuery(
                """
                select body_hash, status, answer from sineta.idempotency_keys
                where caller = $1 and route = $2 and key = $3 and created_at > now()
                  - case when status = $4 then interval '1 minute' else interval '24 hours' end
                """, .uuid(claim.caller), .text(claim.route), .text(claim.key), .int16(begun)),
        ])
        guard try rows[0].first?.bool(0) == true else { return .running }
        guard let row = rows[1].first else { return .new }
        if try row.int(1) == Int(begun) { return .running }
        return .kept(
            Kept(
                fingerprint: try row.bytes(0), status: try row.int(1),
                body: try row.optionalBytes(2)))
    }

    /// Keeps the answer to a claim that was found to be new in this transaction.
    public static func keep(
        status: Int, body: [UInt8]?, for claim: Claim, in transaction: PostgresTransaction
    ) throws(PostgresError) {
        _ = try transaction.query(
            """
            insert into sineta.idempotency_keys (caller, route, key, body_hash, status, answer)
            values ($1, $2, $3, $4, $5, $6)
            on conflict (caller, route, key) do update set body_hash = excluded.body_hash,
              status = excluded.status, answer = excluded.answer,
              created_at = excluded.created_at
            """,
            .uuid(claim.caller), .text(claim.route), .text(claim.key), .bytes(claim.fingerprint),
            .int16(Int16(status)), .optionalBytes(body))
    }

    /// Says that the effect of a claim begins, which was found to be new in this transaction; `keep`
    /// or `free` follow in another.
    public static func begin(
        _ claim: Claim, in transaction: PostgresTransaction
    ) throws(PostgresError) {
        try keep(status: Int(begun), body: nil, for: claim, in: transaction)
    }

    /// Lets a claim that was begun go: nothing came of it, and its key may be used again.
    public static func free(
        _ claim: Claim, in transaction: PostgresTransaction
    ) throws(PostgresError) {
        // The API deletes no rows: this one is past its time, and goes with those that are.
        _ = try transaction.query(
            """
            update sineta.idempotency_keys set created_at = '-infinity'
            where caller = $1 and route = $2 and key = $3 and status = $4
            """, .uuid(claim.caller), .text(claim.route), .text(claim.key), .int16(begun))
    }
}
