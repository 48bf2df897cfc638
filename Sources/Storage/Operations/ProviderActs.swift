public import Jobs
public import Postgres

/// An operator's part in paused credentials. Runs as `.operator`.
public enum ProviderActs {
    /// Asks the workers to probe these credentials, if they are paused, now and not when their
    /// pause says: somebody has mended them.
    ///
    /// - Returns: how many were paused and not about to be probed.
    public static func probeSoon(
        _ credentials: [Credential], in transaction: PostgresTransaction
    ) throws(PostgresError) -> Int {
        guard !credentials.isEmpty else { return 0 }
        return try transaction.query(
            "select sineta.probe_soon($1, $2)", .texts(credentials.map(\.name)),
            .texts(credentials.map(\.environment))
        ).first?.int(0) ?? 0
    }
}
