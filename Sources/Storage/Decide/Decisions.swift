public import Alerts
import JSON
public import Jobs
public import Postgres
public import Runtime
public import Values

/// One alert with what was decided for its audience, or for one chunk of it.
public struct DecidedAlert: Sendable {
    /// The decide job, fenced by its lease.
    public let job: HeldJob
    public let alert: Alert
    /// The caller's id and type of the event behind it.
    public let externalID: String
    public let eventType: String
    public let subject: SubjectReference?
    /// When the cause came in, server time: the day of its deliveries.
    public let raisedAt: Timestamp
    /// One per member of the chunk, yes or no.
    public let decisions: [MemberDecision]
    /// One `push.deliver` job for each device that is to ring.
    public let pushes: [NewJob]

    public init(
        job: HeldJob, alert: Alert, externalID: String, eventType: String,
        subject: SubjectReference?, raisedAt: Timestamp, decisions: [MemberDecision],
        pushes: [NewJob]
    ) {
        self.job = job
        self.alert = alert
        self.externalID = externalID
        self.eventType = eventType
        self.subject = subject
        self.raisedAt = raisedAt
        self.decisions = decisions
        self.pushes = pushes
    }

    var recipients: [UUID] { decisions.filter(\.isInInbox).map(\.user.uuid) }
    var isUnheard: Bool { !decisions.contains { $0.verdict.isYes } }

    var decisionsJSON: [UInt8] {
        var writer = JSONWriter()
        writer.value(.array(decisions.map(\.json)))
        return writer.bytes
    }
}

/// Keeps decisions and queues their pushes, as the end of the decide jobs.
public enum Decisions {
    /// In one transaction: ends the jobs that are still ours, inserts their alerts, adds their
    /// pushes. A second decider fails twice over: no job to end, and the alert's key.
    ///
    /// - Returns: the jobs that were ended. The others were taken over, and nothing of them is
    ///   kept.
    public static func save(
        _ decided: [DecidedAlert], pool: PostgresPool, deadline: Deadline
    ) async throws -> Set<JobID> {
        guard !decided.isEmpty else { return [] }
        return try await pool.transaction(
            deadline: deadline, preamble: [DatabaseRole.worker.query]
        ) { transaction in
            let ended = try JobQueue.finish(decided.map(\.job), in: transaction)
            let kept = decided.filter { ended.contains($0.job.id) }
            guard !kept.isEmpty else { return ended }
            var queries = [insert(kept)]
            let pushes = kept.flatMap(\.pushes)
            if !pushes.isEmpty { queries.append(JobQueue.enqueueQuery(pushes)) }
            _ = try transaction.pipeline(queries)
            return ended
        }
    }

    /// Keeps one chunk of a large audience and moves the job's cursor, or ends the job with the
    /// last chunk. The first chunk's call inserts the alert.
    ///
    /// - Parameters:
    ///   - cursor: the job's arguments for the next chunk; nil ends it.
    ///   - part: counts from 0.
    /// - Returns: false when the job was taken over: nothing was kept.
    public static func save(
        part: Int, of decided: DecidedAlert, cursor: [UInt8]?, lease: Duration,
        pool: PostgresPool, deadline: Deadline
    ) async throws -> Bool {
        do {
            try await pool.transaction(
                deadline: deadline, preamble: [DatabaseRole.worker.query]
            ) { transaction in
                let isHeld =
                    if let cursor {
                        try JobQueue.advance(
                            decided.job, args: cursor, lease: lease, in: transaction)
                    } else {
                        try JobQueue.finish([decided.job], in: transaction)
                            .contains(decided.job.id)
                    }
                guard isHeld else { throw Fenced() }
                var queries = part == 0 ? [insert([decided])] : [self.part(part, of: decided)]
                if !decided.pushes.isEmpty {
                    queries.append(JobQueue.enqueueQuery(decided.pushes))
                }
                _ = try transaction.pipeline(queries)
            }
            return true
        } catch is Fenced {
            return false
        }
    }

    private struct Fenced: Error {}

    private static func insert(_ alerts: [DecidedAlert]) -> PostgresQuery {
        PostgresQuery(
            insertSQL,
            .ids(alerts.lazy.map(\.alert.store)), .ids(alerts.lazy.map(\.alert.id)),
            .texts(alerts.map(\.alert.kind.name)), .texts(alerts.map(\.externalID)),
            .texts(alerts.map(\.eventType)), .timestamps(alerts.map(\.alert.occurredAt)),
            .timestamps(alerts.map(\.raisedAt)), .timestamps(alerts.map(\.alert.expiresAt)),
            .texts(alerts.map(\.subject?.kind)), .texts(alerts.map(\.subject?.id)),
            .jsons(alerts.map(\.alert.subject.json.encoded)),
            .jsons(alerts.map(\.alert.content.json.encoded)), .jsons(alerts.map(\.decisionsJSON)),
            // Arrays of arrays have to be of one length: recipients travel as text.
            .texts(alerts.map { $0.recipients.map(\.description).joined(separator: ",") }),
            .bools(alerts.map(\.isUnheard)))
    }

    private static let insertSQL: StaticSQL = """
        insert into sineta.alerts (store_id, id, kind, external_id, event_type, occurred_at,
          raised_at, expires_at, decided_at, subject_kind, subject_id, subject, content, decisions,
          recipients, is_unheard)
        select store_id, id, kind, external_id, event_type, occurred_at, raised_at, expires_at,
          now(), subject_kind, subject_id, subject, content, decisions,
          string_to_array(recipients, ',')::uuid[], is_unheard
        from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::timestamptz[],
          $7::timestamptz[], $8::timestamptz[], $9::text[], $10::text[], $11::jsonb[],
          $12::jsonb[], $13::jsonb[], $14::text[], $15::boolean[])
          u (store_id, id, kind, external_id, event_type, occurred_at, raised_at, expires_at,
             subject_kind, subject_id, subject, content, decisions, recipients, is_unheard)
        order by store_id, id
        """

    private static func part(_ part: Int, of decided: DecidedAlert) -> PostgresQuery {
        PostgresQuery(
            """
            with p as (
              insert into sineta.alert_parts (store_id, alert_id, part, decisions, recipients)
              values ($1, $2, $3, $4, $5))
            update sineta.alerts set parts = $3, is_unheard = is_unheard and $6
            where store_id = $1 and id = $2
            """,
            .id(decided.alert.store), .id(decided.alert.id), .int32(Int32(part)),
            .json(decided.decisionsJSON), .uuids(decided.recipients), .bool(decided.isUnheard))
    }
}
