import Alerts
import JSON
import Jobs
public import Postgres
import Values

/// Events become what the platform keeps of them and, perhaps, alerts to decide: in one transaction
/// for any number of events of any number of stores.
///
/// Everything is one statement per kind of thing, however many events there are; two events about
/// the same thing go one after the other. The tables are locked in one order everywhere (events,
/// orders, stock, conversations, messages, fair tags) and the rows by their keys.
public enum Ingest {
    /// Applies events in the caller's transaction. The last statements go out with its COMMIT: the
    /// jobs are not there before.
    ///
    /// - Returns: a result per event, in order. Equal ids of one store are one event: the second is
    ///   a duplicate of the first, within this call as well. An event that is applied again under
    ///   the same `id` of ours, after a COMMIT whose answer was lost, is no duplicate.
    public static func apply(
        _ events: [IngestEvent], in transaction: PostgresTransaction
    ) throws(PostgresError) -> [IngestResult] {
        let intake = Intake(events)
        return try intake.finish(try transaction.query(intake.insert), in: transaction)
    }

    static func key(of event: IngestEvent) -> SubjectKey {
        SubjectKey(store: event.store, id: event.event.id)
    }

    /// What each event is answered, by store and the caller's id.
    struct Answers {
        struct Answer {
            let id: EventID
            var reason: String?
        }

        var answers: [SubjectKey: Answer] = [:]
    }

    fileprivate static let insertSQL: StaticSQL = """
        insert into sineta.events (store_id, external_id, id, type, occurred_at, received_at, reason)
        select * from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::timestamptz[],
          $6::timestamptz[], $7::text[]) u (store_id, external_id, id, type, occurred_at,
          received_at, reason)
        order by store_id, external_id
        on conflict (store_id, external_id) do nothing
        returning id
        """

    /// Marks why nothing was raised, and adds the jobs that decide what was: with the COMMIT.
    fileprivate static func raise(
        _ events: [IngestEvent], _ answers: Answers, in transaction: PostgresTransaction
    ) throws(PostgresError) {
        var unraised: [(event: IngestEvent, reason: String)] = []
        var jobs: [NewJob] = []
        for event in events {
            if let reason = answers.answers[key(of: event)]?.reason {
                if event.knownReason == nil { unraised.append((event, reason)) }
            } else if let kind = event.event.type.alert {
                jobs.append(
                    NewJob(
                        lane: Lanes.decide(isUrgent: kind.urgency == .urgent),
                        kind: JobKinds.decide, store: event.store, subject: event.id.uuid,
                        raisedAt: event.receivedAt, expiresAt: event.expiresAt,
                        args: event.args))
            }
        }
        var queries: [PostgresQuery] = []
        if !unraised.isEmpty {
            queries.append(
                PostgresQuery(
                    reasonSQL, .ids(unraised.lazy.map { $0.event.store }),
                    .texts(unraised.map { $0.event.event.id }), .texts(unraised.map { $0.reason })))
        }
        if !jobs.isEmpty { queries.append(JobQueue.enqueueQuery(jobs)) }
        try transaction.atCommit(queries)
    }

    private static let reasonSQL: StaticSQL = """
        update sineta.events e set reason = u.reason
        from unnest($1::uuid[], $2::text[], $3::text[]) u (store_id, external_id, reason)
        where e.store_id = u.store_id and e.external_id = u.external_id
        """
}

/// Events on their way in: their ids are taken first, by a statement that can go out before
/// anything is known of the transaction, and the rest follows from which of them were new.
struct Intake {
    let events: [IngestEvent]
    /// The first of each id, in order.
    private let unique: [IngestEvent]

    init(_ events: [IngestEvent]) {
        self.events = events
        var seen: Set<SubjectKey> = []
        seen.reserveCapacity(events.count)
        unique = events.filter { seen.insert(Ingest.key(of: $0)).inserted }
    }

    /// Takes the ids. Those that were taken before, or by a transaction that commits first, do not
    /// come back.
    var insert: PostgresQuery {
        PostgresQuery(
            Ingest.insertSQL,
            .ids(unique.lazy.map { $0.store }), .texts(unique.map { $0.event.id }),
            .ids(unique.lazy.map { $0.id }), .texts(unique.map { $0.event.type.name }),
            .timestamps(unique.map { $0.occurredAt }), .timestamps(unique.map { $0.receivedAt }),
            .texts(unique.map { $0.knownReason?.rawValue }))
    }

    /// - Parameter rows: what `insert` gave.
    /// - Returns: a result per event, in order.
    func finish(
        _ rows: PostgresRows, in transaction: PostgresTransaction
    ) throws(PostgresError) -> [IngestResult] {
        var inserted: Set<EventID> = []
        inserted.reserveCapacity(rows.count)
        for row in rows { inserted.insert(try row.id(0)) }
        let fresh = unique.filter { inserted.contains($0.id) }
        let repeated = unique.filter { !inserted.contains($0.id) }

        let reasons = try Ingest.project(fresh, duplicates: repeated, in: transaction)
        try Ingest.raise(fresh, reasons, in: transaction)
        return try events.map { event throws(PostgresError) in
            guard let answer = reasons.answers[Ingest.key(of: event)] else {
                throw .decoding("an event did not come back")
            }
            return IngestResult(
                externalID: event.event.id, id: answer.id,
                isDuplicate: answer.id != event.id, reason: answer.reason)
        }
    }
}
