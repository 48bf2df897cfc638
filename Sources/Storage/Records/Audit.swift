public import JSON
public import Postgres
public import Values

/// One privileged act.
public struct AuditEntry: Sendable {
    public let id: UUID
    /// When the act's transaction began.
    public let at: Timestamp
    /// The actor's id, or a word for one who has none (`cli`).
    public let actor: String
    /// The nil UUID for acts without a store.
    public let store: StoreID
    /// As `member.added`.
    public let act: String
    /// What it was done to: an id, an address, or how many.
    public let subject: String
    /// What was there, without secrets; nil when nothing was, or when it does not matter.
    public let before: JSONValue?
    /// What came of it, without secrets.
    public let after: JSONValue?
}

/// The log of privileged acts: written in the act's own transaction, without secrets; rows are
/// added and read, never changed.
public enum Audit {
    /// The nil UUID, under which acts without a store stand.
    public static let noStore = StoreID(.zero)

    /// Adds a line in the act's own transaction: both are there or neither is.
    public static func write(
        _ store: StoreID, actor: String, act: String, subject: String, before: JSONValue? = nil,
        after: JSONValue? = nil, in transaction: PostgresTransaction
    ) throws(PostgresError) {
        _ = try transaction.query(
            query(store, actor: actor, act: act, subject: subject, before: before, after: after))
    }

    /// The same as a statement, for a pipeline.
    public static func query(
        _ store: StoreID, actor: String, act: String, subject: String, before: JSONValue? = nil,
        after: JSONValue? = nil
    ) -> PostgresQuery {
        PostgresQuery(
            """
            insert into sineta.audit (store_id, actor, act, subject, before, after)
            values ($1, $2, $3, $4, $5, $6)
            """,
            .id(store), .text(actor), .text(act), .text(subject),
            .optionalJSON(before?.encoded), .optionalJSON(after?.encoded))
    }

    /// A store's acts, newest first.
    public static func list(
        _ store: StoreID, page: Page<UUID>, in transaction: PostgresTransaction
    ) throws(PostgresError) -> [AuditEntry] {
        try transaction.query(
            """
            select id, at, actor, store_id, act, subject, before, after from sineta.audit
            where store_id = $1 and ($2::uuid is null or id < $2)
            order by id desc limit $3
            """, .id(store), .optionalUUID(page.after?.id), .int(page.limit)
        ).map(entry)
    }

    /// Every store's acts, newest first. Runs as `.operator`.
    public static func listAll(
        page: Page<UUID>, in transaction: PostgresTransaction
    ) throws(PostgresError) -> [AuditEntry] {
        try transaction.query(
            """
            select id, at, actor, store_id, act, subject, before, after from sineta.audit
            where $1::timestamptz is null or (at, id) < ($1, $2)
            order by at desc, id desc limit $3
            """,
            .optionalTimestamp(page.after?.time), .optionalUUID(page.after?.id), .int(page.limit)
        ).map(entry)
    }

    private static func entry(_ row: PostgresRow) throws(PostgresError) -> AuditEntry {
        AuditEntry(
            id: try row.uuid(0), at: try row.timestamp(1), actor: try row.text(2),
            store: try row.id(3), act: try row.text(4), subject: try row.text(5),
            before: try row.optionalValue(6), after: try row.optionalValue(7))
    }
}

extension PostgresRow {
    /// A `jsonb` as a value.
    func value(_ column: Int) throws(PostgresError) -> JSONValue {
        guard let value = try optionalValue(column) else {
            throw .decoding("column \(column) is NULL")
        }
        return value
    }

    func optionalValue(_ column: Int) throws(PostgresError) -> JSONValue? {
        guard let bytes = try optionalJSON(column) else { return nil }
        do throws(JSONFault) {
            return try JSONValue.parse(bytes)
        } catch {
            throw .decoding(
                "column \(column) is no JSON, at byte \(error.offset): \(error.message)")
        }
    }
}
