public import Postgres
public import Values

/// What a session's tokens are kept as, and how long they live. The tokens themselves never come
/// here.
public struct SessionTokens: Sendable {
    /// HMAC of the refresh token.
    public let refreshHash: [UInt8]
    /// HMAC of the access token.
    public let accessHash: [UInt8]
    /// How long the access token is good, from now.
    public let accessLife: Duration
    /// How long the session goes on without a refresh, from now.
    public let sessionLife: Duration

    public init(
        refreshHash: [UInt8], accessHash: [UInt8], accessLife: Duration, sessionLife: Duration
    ) {
        self.refreshHash = refreshHash
        self.accessHash = accessHash
        self.accessLife = accessLife
        self.sessionLife = sessionLife
    }
}

/// A session that was opened or renewed.
public struct OpenedSession: Sendable, Equatable {
    public let id: SessionID
    public let user: UserID
    /// When it was opened; renewing does not change it.
    public let createdAt: Timestamp
    /// When it ends unless it is refreshed before.
    public let expiresAt: Timestamp
}

/// Signing in, staying in, leaving. All run as `.api`; the ones without a `Caller` in their
/// preamble say so.
public enum Sessions {
    /// What is known before the password is looked at.
    public struct LoginAttempt: Sendable {
        /// Nil: no such person, or one who never had a password. The same hash work is due.
        public let user: UserID?
        /// As `PasswordHasher` wrote it; nil with `user`, or where none was ever set.
        public let passwordHash: String?
        /// Above zero: refused for this long.
        public let retryAfter: Duration
        /// By how much the answer is to be held back.
        public let slowDown: Duration
    }

    /// Counts an attempt, so that parallel guesses count too; a success takes it back.
    /// Without a caller.
    ///
    /// - Parameters:
    ///   - email: in lower case.
    ///   - network: the /64 of an IPv6 address, or the IPv4 address.
    public static func beginLogin(
        email: String, network: String, address: String, in transaction: PostgresTransaction
    ) throws(PostgresError) -> LoginAttempt {
        let rows = try transaction.query(
            """
            select user_id, password_hash, retry_after, slow_down
            from sineta.login_begin($1, $2, $3)
            """, .text(email), .text(network), .text(address))
        guard let row = rows.first else { throw .decoding("login_begin gave no row") }
        return LoginAttempt(
            user: try row.optionalID(0), passwordHash: try row.optionalText(1),
            retryAfter: .seconds(try row.int(2)), slowDown: .milliseconds(try row.int(3)))
    }

    /// Opens a session once the password was right. Nil: the password changed since. Without a
    /// caller.
    public static func finishLogin(
        user: UserID, checkedHash: String, network: String, session: SessionID,
        deviceName: String?, tokens: SessionTokens, in transaction: PostgresTransaction
    ) throws(PostgresError) -> OpenedSession? {
        let rows = try transaction.query(
            """
            select created_at, expires_at
            from sineta.login_finish($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            .id(user), .text(checkedHash), .text(network), .id(session),
            .optionalText(deviceName), .bytes(tokens.refreshHash), .bytes(tokens.accessHash),
            .seconds(tokens.accessLife), .seconds(tokens.sessionLife))
        return try rows.first.map { row throws(PostgresError) in
            OpenedSession(
                id: session, user: user, createdAt: try row.timestamp(0),
                expiresAt: try row.timestamp(1))
        }
    }

    /// How a refresh token stands.
    public enum RefreshAnswer: Sendable, Equatable {
        /// It may be rotated: its successor is derived from these.
        case good(session: SessionID, generation: Int)
        /// It was spent: the session and its devices are gone when this transaction commits, so
        /// commit it.
        case reused(session: SessionID)
        case ended
        case unknown
    }

    /// Looks a refresh token up and holds its session until the transaction ends. Without a caller.
    public static func findRefresh(
        hash: [UInt8], grace: Duration, in transaction: PostgresTransaction
    ) throws(PostgresError) -> RefreshAnswer {
        let rows = try transaction.query(
            "select answer, session_id, generation from sineta.refresh_find($1, $2)",
            .bytes(hash), .seconds(grace))
        guard let row = rows.first else { throw .decoding("refresh_find gave no row") }
        switch try row.text(0) {
        case "current", "previous":
            return .good(session: try row.id(1), generation: try row.int(2))
        case "reused": return .reused(session: try row.id(1))
        case "ended": return .ended
        default: return .unknown
        }
    }

    /// After `findRefresh` said `.good`, in the same transaction. The successor must be derived, so
    /// that parallel calls bring the same one: `tokens.refreshHash` is its hash.
    public static func rotate(
        hash: [UInt8], tokens: SessionTokens, in transaction: PostgresTransaction
    ) throws(PostgresError) -> OpenedSession? {
        let rows = try transaction.query(
            """
            select session_id, user_id, created_at, expires_at
            from sineta.refresh_rotate($1, $2, $3, $4, $5)
            """,
            .bytes(hash), .bytes(tokens.refreshHash), .bytes(tokens.accessHash),
            .seconds(tokens.accessLife), .seconds(tokens.sessionLife))
        return try rows.first.map { row throws(PostgresError) in
            OpenedSession(
                id: try row.id(0), user: try row.id(1), createdAt: try row.timestamp(2),
                expiresAt: try row.timestamp(3))
        }
    }

    /// Ends the session of a refresh or an access token with its devices; anything else does
    /// nothing. Without a caller.
    public static func logout(
        hash: [UInt8], in transaction: PostgresTransaction
    ) throws(PostgresError) {
        _ = try transaction.query("select sineta.logout($1)", .bytes(hash))
    }

    /// Ends one of the caller's sessions with its devices; false when it is not theirs or over.
    public static func end(
        _ session: SessionID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Bool {
        try transaction.query("select sineta.end_session($1)", .id(session)).first?.bool(0)
            ?? false
    }

    /// The caller's own password hash.
    public static func passwordHash(
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> String? {
        try transaction.query("select sineta.own_password()").first?.optionalText(0)
    }

    /// Sets the caller's password and ends all their other sessions with the devices. False when
    /// the checked hash is not the current one any more.
    public static func changePassword(
        checkedHash: String, newHash: String, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Bool {
        try transaction.query(
            "select sineta.change_password($1, $2)", .text(checkedHash), .text(newHash)
        ).first?.bool(0) ?? false
    }
}

extension PostgresValue {
    /// A duration as whole seconds, `integer`.
    static func seconds(_ duration: Duration) -> PostgresValue {
        .int32(Int32(clamping: duration.components.seconds))
    }
}
