public import Alerts
import JSON
public import Postgres
public import Values

/// What a member set for a store, as it is kept.
public struct StoredPreferences: Sendable {
    /// Without mutes, which are looked up by what an alert is about.
    public let preferences: Preferences
    /// Counts the changes; 0 before the first. The `ETag`.
    public let version: Int64
}

/// What a store lays down, as it is kept.
public struct StoredPolicy: Sendable {
    /// Kinds that are on by default, and kinds that nobody may switch off.
    public let policy: PushPolicy
    /// Who required what, in the order of the kinds' names.
    public let locks: [Lock]
    /// Counts the changes; 0 before the first. The `ETag`.
    public let version: Int64

    /// A kind that the store requires.
    public struct Lock: Sendable, Equatable {
        public let kind: String
        /// Who required it.
        public let user: UserID
        /// Nil when the person is no member any more.
        public let name: String?
        public let at: Timestamp
    }
}

/// What members want to hear of a store, and what the store requires.
public enum PreferenceStore {
    /// A member's preferences without mutes; those of somebody who never saved are the defaults.
    ///
    /// - Parameter forUpdate: holds them until the transaction ends, also while there are none.
    public static func preferences(
        _ store: StoreID, _ user: UserID, forUpdate: Bool = false,
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> StoredPreferences {
        if forUpdate { try hold(store, "preferences \(user)", in: transaction) }
        let rows = try transaction.query(
            """
            select is_enabled, kinds_on, kinds_off, minimums, saved_at is not null, version
            from sineta.push_preferences where store_id = $1 and user_id = $2
            """, .id(store), .id(user))
        guard let row = rows.first else {
            return StoredPreferences(preferences: Preferences(), version: 0)
        }
        return StoredPreferences(
            preferences: try MemberQuery.preferences(row, at: 0), version: try row.int64(5))
    }

    /// Saves the switch and the kinds; minimums stay. Answers the new version.
    public static func save(
        _ store: StoreID, _ user: UserID, _ preferences: Preferences,
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> Int64 {
        let on = preferences.kinds.filter(\.value).keys.sorted()
        let off = preferences.kinds.filter { !$0.value }.keys.sorted()
        let rows = try transaction.query(
            """
            insert into sineta.push_preferences as p (store_id, user_id, is_enabled, kinds_on,
              kinds_off, saved_at)
            values ($1, $2, $3, $4, $5, now())
            on conflict (store_id, user_id) do update set is_enabled = excluded.is_enabled,
              kinds_on = excluded.kinds_on, kinds_off = excluded.kinds_off,
              saved_at = excluded.saved_at, updated_at = excluded.updated_at,
              version = p.version + 1
            returning version
            """,
            .id(store), .id(user), .bool(preferences.isEnabled), .texts(on), .texts(off))
        return try version(rows)
    }

    /// Replaces the minimum amounts, by currency. Answers the new version.
    public static func saveMinimums(
        _ store: StoreID, _ user: UserID, _ minimums: [String: Amount],
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> Int64 {
        var writer = JSONWriter()
        writer.beginObject()
        for (currency, amount) in minimums.sorted(by: { $0.key < $1.key }) {
            writer.key(currency)
            writer.string(amount.text)
        }
        writer.endObject()
        let rows = try transaction.query(
            """
            insert into sineta.push_preferences as p (store_id, user_id, minimums)
            values ($1, $2, $3)
            on conflict (store_id, user_id) do update set minimums = excluded.minimums,
              updated_at = excluded.updated_at, version = p.version + 1
            returning version
            """, .id(store), .id(user), .json(writer.bytes))
        return try version(rows)
    }

    /// What the store laid down; one that never did has the defaults and version 0.
    ///
    /// - Parameter forUpdate: holds it until the transaction ends, also while there is none.
    public static func policy(
        _ store: StoreID, forUpdate: Bool = false, in transaction: PostgresTransaction
    ) throws(PostgresError) -> StoredPolicy {
        if forUpdate { try hold(store, "policy", in: transaction) }
        let rows = try transaction.pipeline([
            PostgresQuery(
                "select defaults, version from sineta.push_policies where store_id = $1",
                .id(store)),
            PostgresQuery(
                """
                select r.kind, r.locked_by, u.name, r.locked_at
                from sineta.required_kinds r left join sineta.users u on u.id = r.locked_by
                where r.store_id = $1 order by r.kind
                """, .id(store)),
        ])
        let locks = try rows[1].map { row throws(PostgresError) in
            StoredPolicy.Lock(
                kind: try row.text(0), user: try row.id(1), name: try row.optionalText(2),
                at: try row.timestamp(3))
        }
        return StoredPolicy(
            policy: PushPolicy(
                defaults: try rows[0].first?.optionalTexts(0).map { Set($0) },
                required: Set(locks.map(\.kind))),
            locks: locks, version: try rows[0].first?.int64(1) ?? 0)
    }

    /// Replaces the policy. A kind that was required before keeps who required it and when. Answers
    /// the new version.
    public static func savePolicy(
        _ store: StoreID, _ policy: PushPolicy, by user: UserID,
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> Int64 {
        let required = PostgresValue.texts(policy.required.sorted())
        let rows = try transaction.pipeline([
            PostgresQuery(
                """
                insert into sineta.push_policies as p (store_id, defaults) values ($1, $2)
                on conflict (store_id) do update set defaults = excluded.defaults,
                  updated_at = excluded.updated_at, version = p.version + 1
                returning version
                """, .id(store), .optionalTexts(policy.defaults?.sorted())),
            PostgresQuery(
                "delete from sineta.required_kinds where store_id = $1 and kind <> all ($2)",
                .id(store), required),
            PostgresQuery(
                """
                insert into sineta.required_kinds (store_id, kind, locked_by)
                select $1, kind, $3 from unnest($2::text[]) kind on conflict do nothing
                """, .id(store), required, .id(user)),
        ])
        return try version(rows[0])
    }

    /// So that "read, compare the ETag, write" is one step while there is no row to lock.
    private static func hold(
        _ store: StoreID, _ what: String, in transaction: PostgresTransaction
    ) throws(PostgresError) {
        _ = try transaction.query(
            "select pg_advisory_xact_lock(hashtextextended('sineta.' || $1 || $2::text, 0))",
            .text(what), .id(store))
    }

    private static func version(_ rows: PostgresRows) throws(PostgresError) -> Int64 {
        guard let row = rows.first else { throw .decoding("nothing was written") }
        return try row.int64(0)
    }
}
