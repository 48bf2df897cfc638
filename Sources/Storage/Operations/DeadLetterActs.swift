public import Postgres
public import Values

/// A dead letter and what a retry would make of it.
public struct AssessedLetter: Sendable, Equatable {
    /// The first that holds, in this order.
    public enum Fate: String, Sendable, CaseIterable {
        /// The device took this very push after all: a repeat would ring twice, so it stays dead.
        case accepted
        /// Past its time: a retry ends it `expired`.
        case stale
        /// The device is gone or is somebody else's: a retry ends it `suppressed`.
        case noDevice = "no_device"
        /// It would be sent.
        case live
    }

    /// The letter's own number; a job's id may stand on several letters.
    public let number: Int64
    public let store: StoreID
    public let fate: Fate
}

/// The product's part in the dead letters, which are named by their numbers. Runs as `.operator`;
/// retrying itself is `JobQueue.revive`.
public enum DeadLetterActs {
    /// Those of the numbers that exist, in no order.
    public static func assess(
        _ letters: [Int64], in transaction: PostgresTransaction
    ) throws(PostgresError) -> [AssessedLetter] {
        let rows = try transaction.query(
            "select letter, store_id, fate from sineta.dead_assess($1)", .int64s(letters))
        var assessed: [AssessedLetter] = []
        assessed.reserveCapacity(rows.count)
        for row in rows {
            guard let fate = AssessedLetter.Fate(rawValue: try row.text(2)) else {
                throw .decoding("a dead letter with an unknown fate")
            }
            assessed.append(
                AssessedLetter(number: try row.int64(0), store: try row.id(1), fate: fate))
        }
        return assessed
    }

    /// Gives them up, which writes their end as `dead`. Answers how many there were.
    public static func discard(
        _ letters: [Int64], in transaction: PostgresTransaction
    ) throws(PostgresError) -> Int {
        try transaction.query("select sineta.dead_discard($1)", .int64s(letters))
            .first?.int(0) ?? 0
    }
}
