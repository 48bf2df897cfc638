public import Alerts
import JSON
public import Jobs
public import Postgres
public import Values

/// How one push stands.
public struct PushState: Sendable {
    /// The same id at every attempt.
    public let push: PushID
    public let state: DeliveryState
    /// The provider's word, or why it was not sent; nil while there is none.
    public let reason: String?
    /// In the order in which they were made.
    public let attempts: [Attempt]
    /// Of a push that waits for another attempt.
    public let nextAttemptAt: Timestamp?
    /// Of a push in the queue: where it waits or was claimed.
    public var lane: LaneID?
    /// How often its worker was lost with it: such tries have no answer and no time.
    public var losses = 0
    /// Of a dead one: true while an operator may retry it, false once it was discarded.
    public var isDeadLetter = false

    /// One attempt: when, and what the provider said.
    public struct Attempt: Sendable, Equatable {
        /// RFC 3339.
        public let at: String
        /// The HTTP status; nil when there was no answer.
        public let status: Int?
        /// The provider's word, or the failure's.
        public let reason: String?
        /// The provider's own id of the message, where it gave one.
        public let providerMessageID: String?
        /// Seconds that the provider asked to wait, when the push's life was over before that.
        public var retryAfter: Int64?
    }
}

/// Where the pushes of alerts are: in the queue, among the dead, or ended. All by keys.
public enum PushStates {
    /// Of one alert.
    public static func load(
        _ store: StoreID, _ record: AlertRecord, in transaction: PostgresTransaction
    ) throws(PostgresError) -> [PushID: PushState] {
        try load(store, [record], in: transaction)
    }

    /// Of any number of alerts of one store, in one round trip.
    public static func load(
        _ store: StoreID, _ records: [AlertRecord], in transaction: PostgresTransaction
    ) throws(PostgresError) -> [PushID: PushState] {
        let pushes = records.flatMap { $0.decisions.flatMap { $0.devices.compactMap(\.push) } }
        guard !pushes.isEmpty else { return [:] }
        // The queue first: a push that ends in between is then found among the ended.
        let ended = records.map {
            PostgresQuery(endedSQL, .id(store), .id($0.id), .timestamp($0.receivedAt))
        }
        let rows = try transaction.pipeline(
            [
                PostgresQuery(queueSQL, .id(store), .ids(pushes)),
                PostgresQuery(deadSQL, .id(store), .ids(pushes)),
            ] + ended)
        var states: [PushID: PushState] = [:]
        for row in rows[0] {
            let isHeld = try row.bool(1)
            let state = PushState(
                push: try row.id(0), state: isHeld ? .sending : .waiting,
                reason: try row.optionalText(4), attempts: attempts(try row.optionalValue(3)),
                nextAttemptAt: isHeld ? nil : try row.optionalTimestamp(2),
                lane: LaneID(try row.int32(5)), losses: try row.int(6))
            states[state.push] = state
        }
        for row in rows[1] {
            let state = PushState(
                push: try row.id(0), state: .dead, reason: try row.text(2),
                attempts: attempts(try row.optionalValue(1)), nextAttemptAt: nil,
                losses: try row.int(3), isDeadLetter: true)
            states[state.push] = state
        }
        for row in rows.dropFirst(2).joined() {
            let word = try row.text(1)
            guard let ended = DeliveryState(rawValue: word) else {
                throw .decoding("there is no outcome \(word)")
            }
            let state = PushState(
                push: try row.id(0), state: ended,
                reason: try row.optionalText(2),
                attempts: attempts(try row.optionalValue(4), last: try row.optionalText(3)),
                nextAttemptAt: nil, losses: try row.int(5))
            states[state.push] = state
        }
        return states
    }

    /// A lease that has run out is a loss that the next claim will count.
    private static let queueSQL: StaticSQL = """
        select id, lease_id is not null and wake_at > now(),
          case when lease_id is null then wake_at end, tries, last_error, lane,
          losses + (lease_id is not null and wake_at <= now())::integer
        from sineta.jobs where store_id = $1 and id = any ($2)
        """

    private static let deadSQL: StaticSQL = """
        select id, tries, reason, losses from sineta.jobs_dead
        where store_id = $1 and id = any ($2) order by dead_id
        """

    private static let endedSQL: StaticSQL = """
        select id, outcome, reason, provider_id, tries, losses from sineta.deliveries
        where day = ($3::timestamptz at time zone 'UTC')::date and store_id = $1 and alert_id = $2
        """

    private static func attempts(
        _ tries: JSONValue?, last providerID: String? = nil
    ) -> [PushState.Attempt] {
        let tries = tries?.array ?? []
        return tries.enumerated().map { index, attempt in
            PushState.Attempt(
                at: attempt["at"]?.text ?? "",
                status: attempt["status"]?.integer.map { Int($0) },
                reason: attempt["reason"]?.text,
                providerMessageID: index == tries.count - 1 ? providerID : nil,
                retryAfter: attempt["retry_after"]?.integer)
        }
    }
}
