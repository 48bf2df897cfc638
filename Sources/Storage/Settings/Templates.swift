public import Postgres
public import Values

/// A store's own words for one kind and language.
public struct StoredTemplate: Sendable, Equatable {
    /// An alert kind's name, `orders.paid`.
    public let kind: String
    /// A language of the catalogue, `pt`.
    public let language: String
    public let words: StoredWords
    /// Counts the changes: the `ETag`.
    public let version: Int64
}

/// What a store replaced; what is not here reads as built in.
public enum Templates {
    /// All of a store, by kind and language.
    public static func list(
        _ store: StoreID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> [StoredTemplate] {
        try transaction.query(
            """
            select kind, language, title, body, version from sineta.templates
            where store_id = $1 order by kind, language
            """, .id(store)
        ).map(template)
    }

    /// Nil when the built-in words hold. Holds the place until the transaction ends, also while it
    /// is empty, so that "read, compare the ETag, write" is one step.
    public static func find(
        _ store: StoreID, kind: String, language: String, in transaction: PostgresTransaction
    ) throws(PostgresError) -> StoredTemplate? {
        try transaction.pipeline([
            PostgresQuery(
                """
                select pg_advisory_xact_lock(
                  hashtextextended('sineta.template' || $1::text || $2 || ' ' || $3, 0))
                """, .id(store), .text(kind), .text(language)),
            PostgresQuery(
                """
                select kind, language, title, body, version from sineta.templates
                where store_id = $1 and kind = $2 and language = $3
                """, .id(store), .text(kind), .text(language)),
        ])[1].first.map(template)
    }

    /// Replaces the words, which `Wording.check` must have passed. Answers the new version.
    public static func save(
        _ store: StoreID, kind: String, language: String, words: StoredWords, by user: UserID,
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> Int64 {
        let rows = try transaction.query(
            """
            insert into sineta.templates as t (store_id, kind, language, title, body, updated_by)
            values ($1, $2, $3, $4, $5, $6)
            on conflict (store_id, kind, language) do update set title = excluded.title,
              body = excluded.body, updated_by = excluded.updated_by,
              updated_at = excluded.updated_at, version = t.version + 1
            returning version
            """,
            .id(store), .text(kind), .text(language), .text(words.title), .text(words.body),
            .id(user))
        guard let row = rows.first else { throw .decoding("nothing was written") }
        return try row.int64(0)
    }

    /// Brings the built-in words back; false when they were in use.
    public static func remove(
        _ store: StoreID, kind: String, language: String, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Bool {
        try transaction.query(
            "delete from sineta.templates where store_id = $1 and kind = $2 and language = $3",
            .id(store), .text(kind), .text(language)
        ).affected > 0
    }

    private static func template(_ row: PostgresRow) throws(PostgresError) -> StoredTemplate {
        StoredTemplate(
            kind: try row.text(0), language: try row.text(1),
            words: StoredWords(title: try row.text(2), body: try row.text(3)),
            version: try row.int64(4))
    }
}
