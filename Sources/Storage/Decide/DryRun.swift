public import Alerts
public import Postgres
public import Values

/// What one event would do.
public struct DryRunLine: Sendable {
    /// What `Ingest` would answer.
    public let result: IngestResult
    /// Nil when nothing would be raised.
    public let raised: Raised?

    /// The alert that the event would raise, and all that would be decided and sent.
    public struct Raised: Sendable {
        public let alert: Alert
        /// What the decision was made of.
        public let facts: DryRunFacts
        /// One per member, as they would be kept.
        public let decisions: [MemberDecision]
        /// For the pushes' badges, as they would be then.
        public let badges: Badges
    }
}

/// The way of events up to the provider's door. It is walked by the statements and functions of the
/// real one, so that it can not differ from what happens, and then undone.
public enum DryRun {
    /// Takes the events in as `Ingest` does, and decides them on what is then kept. Runs as the
    /// caller, in a transaction that has to be rolled back.
    public static func run(
        _ events: [IngestEvent], in transaction: PostgresTransaction,
        isConfigured: (DeviceRoute) -> Bool
    ) throws(PostgresError) -> [DryRunLine] {
        let results = try Ingest.apply(events, in: transaction)
        var lines: [DryRunLine] = []
        for (event, result) in zip(events, results) {
            let raises = result.alert != nil && !result.isDuplicate
            lines.append(
                DryRunLine(
                    result: result,
                    raised: raises ? try decide(event, in: transaction, isConfigured) : nil))
        }
        return lines
    }

    private static func decide(
        _ event: IngestEvent, in transaction: PostgresTransaction,
        _ isConfigured: (DeviceRoute) -> Bool
    ) throws(PostgresError) -> DryRunLine.Raised? {
        guard let kind = event.event.type.alert,
            let facts = try DryRunFacts.load(
                DecideRequest(store: event.store, content: event.content), kind: kind,
                in: transaction, isConfigured: isConfigured),
            let alert = Alert(
                raisedBy: event.event, id: event.id, store: event.store,
                receivedAt: event.receivedAt, known: facts.known)
        else { return nil }
        return DryRunLine.Raised(
            alert: alert, facts: facts, decisions: Recipients.decide(alert, facts.audience),
            badges: try Badges.load(event.store, in: transaction))
    }
}

/// How many conversations of a store wait for whom, for the badges of all its members at once.
public struct Badges: Sendable {
    private let nobodys: Int
    private let own: [UserID: Int]
    private let readers: Set<UserID>

    /// By the same rule as the badge of a push: an assignee who left, or may not read conversations
    /// any more, counts as nobody.
    static func load(
        _ store: StoreID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Badges {
        let rows = try transaction.query(
            """
            with m as (
              select user_id from sineta.members where store_id = $1 and joined_at is not null
                and sineta.may(role, permissions, 'conversations.read')),
            w as (
              select m.user_id, count(*) as n from sineta.conversations c
              left join m on m.user_id = c.assignee_id
              where c.store_id = $1 and c.is_waiting group by m.user_id)
            select m.user_id, w.n from m full join w on w.user_id = m.user_id
            """, .id(store))
        var nobodys = 0
        var own: [UserID: Int] = [:]
        var readers: Set<UserID> = []
        for row in rows {
            let count = try row.isNull(1) ? 0 : try row.int(1)
            guard let user: UserID = try row.optionalID(0) else {
                nobodys += count
                continue
            }
            readers.insert(user)
            own[user] = count
        }
        return Badges(nobodys: nobodys, own: own, readers: readers)
    }

    /// Nil for somebody who may not read conversations.
    public func badge(of user: UserID) -> Int? {
        readers.contains(user) ? own[user, default: 0] + nobodys : nil
    }
}
