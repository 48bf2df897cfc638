import JSON
public import Jobs
public import Postgres
public import Values

/// What an act on dead letters met, and what it did.
public struct DeadLetterTally: Sendable, Equatable {
    /// They would be sent.
    public internal(set) var live = 0
    /// Past their time; a retry ends them `expired`.
    public internal(set) var stale = 0
    /// Their device is gone; a retry ends them `suppressed`.
    public internal(set) var noDevice = 0
    /// Taken by the device after all; a retry leaves them.
    public internal(set) var accepted = 0
    /// How many were retried or discarded; 0 of a dry run.
    public internal(set) var changed = 0
    /// Whose they are.
    public internal(set) var stores: Set<StoreID> = []

    /// How many there were, whatever became of them.
    public var found: Int { live + stale + noDevice + accepted }

    /// Counts letters by their fate; none was changed yet.
    public init(_ letters: [AssessedLetter] = []) {
        for letter in letters {
            switch letter.fate {
            case .live: live += 1
            case .stale: stale += 1
            case .noDevice: noDevice += 1
            case .accepted: accepted += 1
            }
            stores.insert(letter.store)
        }
    }

    /// The store of all of them; nil when they are of several, or of none.
    public var store: StoreID? { stores.count == 1 ? stores.first : nil }

    /// For acts that go batch by batch.
    public mutating func add(_ other: DeadLetterTally) {
        live += other.live
        stale += other.stale
        noDevice += other.noDevice
        accepted += other.accepted
        changed += other.changed
        stores.formUnion(other.stores)
    }
}

extension DeadLetterActs {
    /// Puts back to work those that were never accepted. What is past its time or has no device
    /// ends as such then, with a line of its own, and is not sent.
    ///
    /// - Parameter isDry: only looks.
    public static func retry(
        _ letters: [Int64], isDry: Bool = false, in transaction: PostgresTransaction
    ) throws(PostgresError) -> DeadLetterTally {
        let assessed = try assess(letters, in: transaction)
        var tally = DeadLetterTally(assessed)
        if isDry { return tally }
        var numbers: [Int64] = []
        for letter in assessed where letter.fate != .accepted { numbers.append(letter.number) }
        _ = try transaction.query("select sineta.alerts_awaited($1)", .int64s(numbers))
        tally.changed = try JobQueue.revive(numbers, in: transaction).count
        return tally
    }

    /// Gives them up for good.
    ///
    /// - Parameter isDry: only looks.
    public static func giveUp(
        _ letters: [Int64], isDry: Bool = false, in transaction: PostgresTransaction
    ) throws(PostgresError) -> DeadLetterTally {
        var tally = DeadLetterTally(try assess(letters, in: transaction))
        if isDry { return tally }
        tally.changed = try discard(letters, in: transaction)
        return tally
    }

    /// The audit log's word for an act.
    public enum Act: String, Sendable {
        case retried = "dead_letters.retried"
        case discarded = "dead_letters.discarded"
    }

    /// The line in the audit log, in the act's transaction; none for an act that changed nothing.
    ///
    /// - Parameters:
    ///   - subject: what was chosen: a reason, a job, or how many.
    ///   - jobs: those that were named one by one; the first hundred are kept.
    public static func record(
        _ act: Act, _ tally: DeadLetterTally, actor: String, subject: String, jobs: [JobID] = [],
        note: String? = nil, in transaction: PostgresTransaction
    ) throws(PostgresError) {
        if tally.changed == 0 { return }
        var after = JSONObject([("count", .integer(Int64(tally.changed)))])
        if !jobs.isEmpty { after["ids"] = .array(jobs.prefix(100).map { .text($0.description) }) }
        if let note { after["note"] = .text(note) }
        try Audit.write(
            tally.store ?? Audit.noStore, actor: actor, act: act.rawValue, subject: subject,
            after: .object(after), in: transaction)
    }
}
