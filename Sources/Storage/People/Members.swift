public import Alerts
public import Postgres
public import Values

/// Somebody to be added to a store.
public struct NewMember: Sendable {
    /// In lower case.
    public let email: String
    /// For a person whom the product does not know yet; a known one keeps theirs.
    public let name: String?
    public let role: Role
    /// Counts for staff alone: owners and admins hold all.
    public let permissions: [Permission]

    public init(email: String, name: String? = nil, role: Role, permissions: [Permission] = []) {
        self.email = email
        self.name = name
        self.role = role
        self.permissions = permissions
    }
}

/// A member in the store's list.
public struct MemberLine: Sendable, Equatable {
    public let user: UserID
    public let name: String
    /// In lower case.
    public let email: String
    public let role: Role
    /// As granted by name; owners and admins hold all whatever stands here.
    public let permissions: [Permission]
    /// When they were added or invited.
    public let createdAt: Timestamp
    /// Nil until the invite was taken.
    public let joinedAt: Timestamp?
}

/// Who belongs to a store. Who may change whom is the API's to ask; that the store is the caller's,
/// row-level security holds too.
public enum Members {
    /// Nil: a member already. A known person joins at once; another is invited.
    public static func add(
        _ store: StoreID, _ member: NewMember, newUser: UserID, invite: LinkTerms,
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> AddedMember? {
        let rows = try transaction.query(
            """
            select answer, user_id, name, email, expires_at
            from sineta.add_member($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            .id(store), .text(member.email), .optionalText(member.name),
            .text(member.role.rawValue), .texts(member.permissions.map(\.rawValue)), .id(newUser),
            .bytes(invite.hash), .seconds(invite.life))
        guard let row = rows.first else { throw .decoding("add_member gave no row") }
        guard try row.text(0) != "conflict" else { return nil }
        return AddedMember(
            user: try row.id(1), name: try row.text(2), email: try row.text(3),
            inviteExpiresAt: try row.optionalTimestamp(4))
    }

    /// The members in the order in which they were added.
    public static func list(
        _ store: StoreID, page: Page<UserID>, in transaction: PostgresTransaction
    ) throws(PostgresError) -> [MemberLine] {
        try transaction.query(
            """
            select m.user_id, u.name, u.email, m.role, m.permissions, m.created_at, m.joined_at
            from sineta.members m join sineta.users u on u.id = m.user_id
            where m.store_id = $1
              and ($2::timestamptz is null or (m.created_at, m.user_id) > ($2, $3))
            order by m.created_at, m.user_id limit $4
            """,
            .id(store), .optionalTimestamp(page.after?.time), .optionalUUID(page.after?.id.uuid),
            .int(page.limit)
        ).map(line)
    }

    /// A member, or an invite that waits; nil for anybody else.
    public static func find(
        _ store: StoreID, _ user: UserID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> MemberLine? {
        try transaction.query(
            """
            select m.user_id, u.name, u.email, m.role, m.permissions, m.created_at, m.joined_at
            from sineta.members m join sineta.users u on u.id = m.user_id
            where m.store_id = $1 and m.user_id = $2
            """, .id(store), .id(user)
        ).first.map(line)
    }

    /// The same as `find`, and holds the member and the store's owners until the transaction ends:
    /// what is then decided about them stays true. All in one order, so that two calls never hold
    /// each other.
    public static func hold(
        _ store: StoreID, _ user: UserID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> MemberLine? {
        try transaction.query(
            """
            select m.user_id, u.name, u.email, m.role, m.permissions, m.created_at, m.joined_at
            from sineta.members m join sineta.users u on u.id = m.user_id
            where m.store_id = $1 and (m.user_id = $2 or m.role = 'owner')
            order by m.user_id for update of m
            """, .id(store), .id(user)
        ).map(line).first { $0.user == user }
    }

    /// What somebody is in some of the caller's stores.
    public static func roles(
        of user: UserID, in stores: [StoreID], _ transaction: PostgresTransaction
    ) throws(PostgresError) -> [(store: StoreID, role: Role)] {
        try transaction.query(
            """
            select store_id, role from sineta.members
            where store_id = any ($1) and user_id = $2 and joined_at is not null
            """, .ids(stores), .id(user)
        ).map { row throws(PostgresError) in
            guard let role = Role(rawValue: try row.text(1)) else {
                throw .decoding("there is no such role")
            }
            return (try row.id(0), role)
        }
    }

    /// What a change of members came to.
    public enum Answer: Sendable, Equatable {
        case done
        case notFound
        /// Somebody must own the store.
        case lastOwner
    }

    /// Sets the role and, unless nil, the granted permissions.
    public static func change(
        _ store: StoreID, _ user: UserID, role: Role, permissions: [Permission]?,
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> Answer {
        if role != .owner, try isLastOwner(store, user, in: transaction) { return .lastOwner }
        let rows = try transaction.query(
            """
            update sineta.members set role = $3, permissions = coalesce($4, permissions)
            where store_id = $1 and user_id = $2
            """,
            .id(store), .id(user), .text(role.rawValue),
            .optionalTexts(permissions?.map(\.rawValue)))
        return rows.affected == 1 ? .done : .notFound
    }

    /// Removes a member with their preferences and mutes for the store.
    public static func remove(
        _ store: StoreID, _ user: UserID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Answer {
        if try isLastOwner(store, user, in: transaction) { return .lastOwner }
        let removed = try transaction.query(
            "select sineta.remove_member($1, $2)", .id(store), .id(user)
        ).first?.bool(0)
        return removed == true ? .done : .notFound
    }

    /// Holds the store's owners until the transaction ends, so that two cannot leave each other.
    private static func isLastOwner(
        _ store: StoreID, _ user: UserID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Bool {
        let owners = try transaction.query(
            """
            select user_id from sineta.members
            where store_id = $1 and role = 'owner' and joined_at is not null
            order by user_id for update
            """, .id(store))
        guard owners.count == 1 else { return false }
        let owner: UserID = try owners[0].id(0)
        return owner == user
    }

    /// What came of asking for a reset link.
    public enum ResetAnswer: Sendable, Equatable {
        /// Good until then; an invite for somebody who never came.
        case link(isInvite: Bool, expiresAt: Timestamp)
        case notFound
        /// The link would open more than the caller manages: an operator, or a member of a store
        /// that is not among `managed`.
        case forbidden
    }

    /// A link by which a member sets a new password.
    ///
    /// - Parameter managed: the stores in which the caller manages members.
    public static func reset(
        _ store: StoreID, _ user: UserID, managed: [StoreID], hash: [UInt8], resetLife: Duration,
        inviteLife: Duration, in transaction: PostgresTransaction
    ) throws(PostgresError) -> ResetAnswer {
        let rows = try transaction.query(
            """
            select answer, purpose, expires_at
            from sineta.reset_member($1, $2, $3, $4, $5, $6)
            """,
            .id(store), .id(user), .ids(managed), .bytes(hash), .seconds(resetLife),
            .seconds(inviteLife))
        guard let row = rows.first else { throw .decoding("reset_member gave no row") }
        switch try row.text(0) {
        case "ok":
            return .link(
                isInvite: try row.text(1) == "invite", expiresAt: try row.timestamp(2))
        case "forbidden": return .forbidden
        default: return .notFound
        }
    }

    private static func line(_ row: PostgresRow) throws(PostgresError) -> MemberLine {
        guard let role = Role(rawValue: try row.text(3)) else {
            throw .decoding("there is no such role")
        }
        return MemberLine(
            user: try row.id(0), name: try row.text(1), email: try row.text(2), role: role,
            permissions: try row.texts(4).map { Permission(rawValue: $0) },
            createdAt: try row.timestamp(5), joinedAt: try row.optionalTimestamp(6))
    }
}
