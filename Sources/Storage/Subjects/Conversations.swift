public import Postgres
public import Values

/// A conversation as the platform knows it.
public struct ConversationLine: Sendable, Equatable {
    /// The platform's.
    public let id: String
    /// `open`, `pending` or `closed`.
    public let status: String
    /// As it was last told; nil when never.
    public let customerName: String?
    /// Nil when it is nobody's.
    public let assignee: Assignee?
    /// Whether a bot answers.
    public let botEnabled: Bool
    /// How many messages came since it was last read.
    public let unread: Int
    public let lastMessage: Message?

    /// Somebody who left the store, or may not read conversations any more, is nobody.
    public struct Assignee: Sendable, Equatable {
        public let id: UserID
        public let name: String
    }

    /// The message that came last.
    public struct Message: Sendable, Equatable {
        public let id: String
        /// As `MessageKind`, `text` or `image`.
        public let kind: String
        /// Nil for a message without text.
        public let text: String?
        public let at: Timestamp
    }
}

/// How many conversations a store has, and how many wait for the caller.
public struct ConversationCounts: Sendable, Equatable {
    /// All of the store, whoever's they are.
    public let open: Int
    public let pending: Int
    public let closed: Int
    /// Open or pending ones with unread messages; `mine + unassigned` is the badge.
    public let mine: Int
    /// The same of those that are nobody's.
    public let unassigned: Int
    public let total: Int
}

/// What is kept of a store's conversations. Read only: `Ingest` writes them.
public enum Conversations {
    /// Nil when the store has none of this id.
    public static func find(
        _ store: StoreID, _ conversation: String, in transaction: PostgresTransaction
    ) throws(PostgresError) -> ConversationLine? {
        try transaction.query(
            """
            select c.id, c.status, c.customer_name, m.user_id, u.name, c.bot_enabled, c.unread,
              c.last_message_id, c.last_message_kind, c.last_message_text, c.last_message_at
            from sineta.conversations c
            left join sineta.members m on m.store_id = c.store_id and m.user_id = c.assignee_id
              and m.joined_at is not null
              and sineta.may(m.role, m.permissions, 'conversations.read')
            left join sineta.users u on u.id = m.user_id
            where c.store_id = $1 and c.id = $2
            """, .id(store), .text(conversation)
        ).first.map { row throws(PostgresError) in
            var assignee: ConversationLine.Assignee?
            if let id: UserID = try row.optionalID(3) {
                assignee = .init(id: id, name: try row.optionalText(4) ?? "")
            }
            var message: ConversationLine.Message?
            if let id = try row.optionalText(7) {
                message = .init(
                    id: id, kind: try row.text(8), text: try row.optionalText(9),
                    at: try row.timestamp(10))
            }
            return ConversationLine(
                id: try row.text(0), status: try row.text(1),
                customerName: try row.optionalText(2), assignee: assignee,
                botEnabled: try row.bool(5), unread: try row.int(6), lastMessage: message)
        }
    }

    /// Counts for one member, by the same rule as the badge of a push.
    public static func counts(
        _ store: StoreID, for user: UserID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> ConversationCounts {
        let rows = try transaction.query(
            """
            with w as materialized (
              select c.assignee_id, count(*) as n from sineta.conversations c
              where c.store_id = $1 and c.is_waiting group by c.assignee_id),
            e as (
              select case when m.user_id is not null then w.assignee_id end as assignee_id, w.n
              from w left join sineta.members m on m.store_id = $1
                and m.user_id = w.assignee_id and m.joined_at is not null
                and sineta.may(m.role, m.permissions, 'conversations.read'))
            select
              (select count(*) from sineta.conversations where store_id = $1 and status = 'open'),
              (select count(*) from sineta.conversations
                where store_id = $1 and status = 'pending'),
              (select count(*) from sineta.conversations
                where store_id = $1 and status = 'closed'),
              coalesce((select sum(n) from e where assignee_id = $2), 0)::bigint,
              coalesce((select sum(n) from e where assignee_id is null), 0)::bigint,
              coalesce((select sum(n) from e), 0)::bigint
            """, .id(store), .id(user))
        guard let row = rows.first else { throw .decoding("counts gave no row") }
        return ConversationCounts(
            open: try row.int(0), pending: try row.int(1), closed: try row.int(2),
            mine: try row.int(3), unassigned: try row.int(4), total: try row.int(5))
    }
}
