public import Postgres
public import Values

/// A store's API token as it is listed; the token itself was shown once.
public struct APITokenLine: Sendable, Equatable {
    public let id: APITokenID
    /// For people, as it was given.
    public let name: String
    /// The token's beginning, by which people know it again.
    public let prefix: String
    public let createdAt: Timestamp
    /// To the minute.
    public let lastUsedAt: Timestamp?
}

/// The tokens of a store's backends. A store may have any number.
public enum APITokens {
    /// A token of the caller's store; its text stays with the caller.
    ///
    /// - Parameter hash: the HMAC of the token.
    public static func create(
        _ store: StoreID, id: APITokenID, name: String, prefix: String, hash: [UInt8],
        by user: UserID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> APITokenLine {
        let rows = try transaction.query(
            """
            insert into sineta.api_tokens (store_id, id, name, prefix, hash, created_by)
            values ($1, $2, $3, $4, $5, $6)
            returning id, name, prefix, created_at, last_used_at
            """,
            .id(store), .id(id), .text(name), .text(prefix), .bytes(hash), .id(user))
        guard let row = rows.first else { throw .decoding("nothing was written") }
        return try line(row)
    }

    /// Newest first.
    public static func list(
        _ store: StoreID, page: Page<APITokenID>, in transaction: PostgresTransaction
    ) throws(PostgresError) -> [APITokenLine] {
        try transaction.query(
            """
            select id, name, prefix, created_at, last_used_at from sineta.api_tokens
            where store_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2, $3))
            order by created_at desc, id desc limit $4
            """,
            .id(store), .optionalTimestamp(page.after?.time), .optionalUUID(page.after?.id.uuid),
            .int(page.limit)
        ).map(line)
    }

    /// The next request with it is refused. False when the store has no such token.
    public static func remove(
        _ store: StoreID, _ token: APITokenID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Bool {
        try transaction.query(
            "delete from sineta.api_tokens where store_id = $1 and id = $2", .id(store),
            .id(token)
        ).affected > 0
    }

    private static func line(_ row: PostgresRow) throws(PostgresError) -> APITokenLine {
        APITokenLine(
            id: try row.id(0), name: try row.text(1), prefix: try row.text(2),
            createdAt: try row.timestamp(3), lastUsedAt: try row.optionalTimestamp(4))
    }
}
