public import Postgres
public import Values

/// Invites and resets, taken by whoever holds their text. Without a caller.
public enum Links {
    /// What a good link is for.
    public struct Target: Sendable, Equatable {
        /// The password that the person has; nil for one who never came.
        public let passwordHash: String?
    }

    /// Nil for a link that may not be taken: asked before the costly password hash.
    public static func find(
        hash: [UInt8], in transaction: PostgresTransaction
    ) throws(PostgresError) -> Target? {
        let rows = try transaction.query(
            "select sineta.link_find($1), sineta.link_password($1)", .bytes(hash))
        guard let row = rows.first, try row.bool(0) else { return nil }
        return Target(passwordHash: try row.optionalText(1))
    }

    /// Takes it once: sets the password, joins its store, ends older sessions, opens a session.
    /// Nil: used, expired, unknown, or of somebody whom whoever made it must not touch.
    ///
    /// - Parameter passwordHash: the one that `find` gave says that the holder knows it. With any
    ///   other the person waits again in the other stores that the link's maker does not manage.
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
