public import Postgres
public import Values

/// A link that was made for somebody; its text is shown once and only its hash comes here.
public struct LinkTerms: Sendable {
    /// How long an invite may be taken.
    public static let inviteLife = Duration.seconds(7 * 86_400)
    /// How long a link to set a new password is good.
    public static let resetLife = Duration.seconds(86_400)

    /// The HMAC of the link's token.
    public let hash: [UInt8]
    /// How long it may be taken, from now; kept to the second.
    public let life: Duration

    public init(hash: [UInt8], life: Duration) {
        self.hash = hash
        self.life = life
    }
}

/// Somebody who was added to a store.
public struct AddedMember: Sendable, Equatable {
    public let user: UserID
    /// As the database knows them, which may differ from what was asked for.
    public let name: String
    public let email: String
    /// Until when the invite may be taken; nil: a known person, who is a member at once.
    public let inviteExpiresAt: Timestamp?
}

/// What a new store is told about itself.
public struct NewStore: Sendable {
    public let id: StoreID
    public let name: String
    /// Of the IANA database; `Stores.isTimeZone` checks it.
    public let timeZone: String
    /// A language tag: what people and devices without one of their own read.
    public let locale: String
    /// Three letters of ISO 4217.
    public let currency: String

    public init(id: StoreID, name: String, timeZone: String, locale: String, currency: String) {
        self.id = id
        self.name = name
        self.timeZone = timeZone
        self.locale = locale
        self.currency = currency
    }
}

/// How stores and people come to be: `/v1/ops/stores`, the command line and the seeds. All run as
/// `.operator`.
public enum Provisioning {
    /// A store with its first owner, who is invited unless the address is known.
    public static func createStore(
        _ store: NewStore, ownerEmail: String, ownerName: String? = nil, newUser: UserID,
        invite: LinkTerms, in transaction: PostgresTransaction
    ) throws(PostgresError) -> AddedMember {
        let rows = try transaction.query(
            """
            select user_id, name, email, expires_at
            from sineta.create_store($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            .id(store.id), .text(store.name), .text(store.timeZone), .text(store.locale),
            .text(store.currency), .text(ownerEmail), .optionalText(ownerName), .id(newUser),
            .bytes(invite.hash), .seconds(invite.life))
        guard let row = rows.first else { throw .decoding("create_store gave no row") }
        return AddedMember(
            user: try row.id(0), name: try row.text(1), email: try row.text(2),
            inviteExpiresAt: try row.optionalTimestamp(3))
    }

    /// A person who may sign in at once; nil when the address is taken.
    public static func createUser(
        _ user: UserID, email: String, name: String, locale: String?, passwordHash: String,
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> UserID? {
        try transaction.query(
            "select sineta.create_user($1, $2, $3, $4, $5)",
            .id(user), .text(email), .text(name), .optionalText(locale), .text(passwordHash)
        ).first?.optionalID(0)
    }

    /// A person as the command line names them.
    public struct KnownUser: Sendable, Equatable {
        public let id: UserID
        /// In lower case.
        public let email: String
        public let name: String
        public let isOperator: Bool
        /// Nil for a person who may sign in.
        public let disabledAt: Timestamp?
    }

    /// - Parameter email: in lower case.
    public static func user(
        email: String, in transaction: PostgresTransaction
    ) throws(PostgresError) -> KnownUser? {
        try transaction.query(
            "select id, email, name, is_operator, disabled_at from sineta.find_user($1)",
            .text(email)
        ).first.map { row throws(PostgresError) in
            KnownUser(
                id: try row.id(0), email: try row.text(1), name: try row.text(2),
                isOperator: try row.bool(3), disabledAt: try row.optionalTimestamp(4))
        }
    }

    /// False when there is no such person.
    public static func setOperator(
        _ user: UserID, _ isOperator: Bool, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Bool {
        try transaction.query("select sineta.set_operator($1, $2)", .id(user), .bool(isOperator))
            .first?.optionalBool(0) ?? false
    }

    /// Disabling ends every session with its devices. False when there is no such person.
    public static func setDisabled(
        _ user: UserID, _ isDisabled: Bool, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Bool {
        try transaction.query("select sineta.set_disabled($1, $2)", .id(user), .bool(isDisabled))
            .first?.optionalBool(0) ?? false
    }

    /// A reset link, good until the answered moment; nil when there is no such person.
    public static func reset(
        _ user: UserID, link: LinkTerms, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Timestamp? {
        try transaction.query(
            "select sineta.reset_user($1, $2, $3)", .id(user), .bytes(link.hash),
            .seconds(link.life)
        ).first?.optionalTimestamp(0)
    }

    /// A store's API token; false when there is no such store.
    public static func createAPIToken(
        _ store: StoreID, id: APITokenID, name: String, prefix: String, hash: [UInt8],
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> Bool {
        try transaction.query(
            "select sineta.create_api_token($1, $2, $3, $4, $5)",
            .id(store), .id(id), .text(name), .text(prefix), .bytes(hash)
        ).first?.optionalBool(0) ?? false
    }

    /// Adds somebody to a store, as `Members.add` does for a member who manages it; nil when they
    /// are one already.
    public static func addMember(
        _ store: StoreID, _ member: NewMember, newUser: UserID, invite: LinkTerms,
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> AddedMember? {
        _ = try transaction.query(
            "select set_config('app.stores', array[$1]::text, true)", .id(store))
        return try Members.add(
            store, member, newUser: newUser, invite: invite, in: transaction)
    }
}
