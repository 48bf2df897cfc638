public import Alerts
public import Postgres
public import Values

/// What people say of themselves.
public enum Profile {
    /// Changes the caller's own name and locale.
    public static func change(
        _ user: UserID, name: String?, locale: Change<String>, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Bool {
        try transaction.query(
            """
            update sineta.users set name = coalesce($2, name),
              locale = case when $3 then $4 else locale end
            where id = $1
            """,
            .id(user), .optionalText(name), .bool(!locale.isUnchanged),
            .optionalText(locale.value)
        ).affected == 1
    }
}
