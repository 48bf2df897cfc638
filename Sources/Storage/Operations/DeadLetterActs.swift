public import Postgres

/// What a retry of dead letters would come to.
public struct DeadLetterPreview: Sendable, Equatable {
    public let found: Int
    /// Past their time: a retry ends them `expired`.
    public let stale: Int
    /// The device is gone or is somebody else's: a retry ends them `suppressed`.
    public let withoutDevice: Int
}

/// The product's part in the dead letters, which are named by their numbers. Runs as `.operator`;
/// retrying itself is `JobQueue.revive`.
public enum DeadLetterActs {
    public static func preview(
        _ letters: [Int64], in transaction: PostgresTransaction
    ) throws(PostgresError) -> DeadLetterPreview {
        let rows = try transaction.query(
            "select letters_found, stale, without_device from sineta.dead_preview($1)",
            .int64s(letters))
        guard let row = rows.first else { throw .decoding("dead_preview gave no row") }
        return DeadLetterPreview(
            found: try row.int(0), stale: try row.int(1), withoutDevice: try row.int(2))
    }

    /// Those whose device has accepted pushes before.
    public static func withProvenDevice(
        _ letters: [Int64], in transaction: PostgresTransaction
    ) throws(PostgresError) -> [Int64] {
        try transaction.query("select sineta.dead_accepted($1)", .int64s(letters))
            .first?.int64s(0) ?? []
    }

    /// Gives them up, which writes their end as `dead`. Answers how many there were.
    public static func discard(
        _ letters: [Int64], in transaction: PostgresTransaction
    ) throws(PostgresError) -> Int {
        try transaction.query("select sineta.dead_discard($1)", .int64s(letters))
            .first?.int(0) ?? 0
    }
}
