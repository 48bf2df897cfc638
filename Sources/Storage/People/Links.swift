public import Postgres
public import Values

/// Invites and resets, taken by whoever holds their text. Without a caller.
public enum Links {
    /// Whether it may be taken: asked before the costly password hash.
    public static func isGood(
        hash: [UInt8], in transaction: PostgresTransaction
    ) throws(PostgresError) -> Bool {
        try transaction.query("select sineta.link_find($1)", .bytes(hash)).first?.bool(0) ?? false
    }

    /// Takes it once: sets the password, joins what waits, ends older sessions, opens a session.
    /// Nil: used, expired or unknown.
    public static func take(
        hash: [UInt8], name: String?, passwordHash: String, network: String, session: SessionID,
        deviceName: String?, tokens: SessionTokens, in transaction: PostgresTransaction
    ) throws(PostgresError) -> OpenedSession? {
        let rows = try transaction.query(
            """
            select user_id, created_at, expires_at
            from sineta.link_take($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            .bytes(hash), .optionalText(name), .text(passwordHash), .text(network), .id(session),
            .optionalText(deviceName), .bytes(tokens.refreshHash), .bytes(tokens.accessHash),
            .seconds(tokens.accessLife), .seconds(tokens.sessionLife))
        return try rows.first.map { row throws(PostgresError) in
            OpenedSession(
                id: session, user: try row.id(0), createdAt: try row.timestamp(1),
                expiresAt: try row.timestamp(2))
        }
    }
}
