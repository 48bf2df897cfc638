public import Alerts
public import Postgres
public import Values

/// What members muted. Kept as `subject_settings`, where levels of other kinds will stand too.
public enum Mutes {
    /// A member's mute of one thing; nil when there is none, or when it has run out.
    public static func find(
        _ store: StoreID, _ user: UserID, _ subject: MuteSubject, _ id: String,
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> Mute? {
        try transaction.query(
            """
            select subject_kind, subject_id, muted_until = 'infinity', muted_until
            from sineta.subject_settings
            where store_id = $1 and user_id = $2 and subject_kind = $3 and subject_id = $4
              and muted_until > now()
            """, .id(store), .id(user), .text(subject.rawValue), .text(id)
        ).first.map { row throws(PostgresError) in
            Mute(
                subject: MuteSubject(rawValue: try row.text(0)), id: try row.text(1),
                until: try row.bool(2) ? nil : try row.timestamp(3))
        }
    }

    /// Mutes until a moment, or for ever.
    public static func set(
        _ store: StoreID, _ user: UserID, _ mute: Mute, in transaction: PostgresTransaction
    ) throws(PostgresError) {
        _ = try transaction.query(
            """
            insert into sineta.subject_settings (store_id, user_id, subject_kind, subject_id,
              muted_until)
            values ($1, $2, $3, $4, coalesce($5, 'infinity'))
            on conflict (store_id, user_id, subject_kind, subject_id) do update set
              muted_until = excluded.muted_until, updated_at = excluded.updated_at
            """,
            .id(store), .id(user), .text(mute.subject.rawValue), .text(mute.id),
            .optionalTimestamp(mute.until))
    }

    /// False when it was not muted.
    public static func remove(
        _ store: StoreID, _ user: UserID, _ subject: MuteSubject, _ id: String,
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> Bool {
        try transaction.query(
            """
            delete from sineta.subject_settings
            where store_id = $1 and user_id = $2 and subject_kind = $3 and subject_id = $4
              and muted_until > now()
            """, .id(store), .id(user), .text(subject.rawValue), .text(id)
        ).affected > 0
    }
}
