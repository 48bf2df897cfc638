public import Alerts
import JSON
public import Postgres
public import Values

/// An alert as it is kept, or an event whose alert is not decided yet.
public struct AlertRecord: Sendable {
    /// Nil before it is decided, and for a kind that this release does not know.
    public let alert: Alert?
    /// The event's id too.
    public let id: AlertID
    /// Nil before it is decided.
    public let kind: String?
    /// The caller's id of the event.
    public let externalID: String
    public let eventType: String
    public let occurredAt: Timestamp
    public let receivedAt: Timestamp
    /// Nil before it is decided; of a large audience, when its first part was.
    public let decidedAt: Timestamp?
    /// Whether it reached nobody: nobody was to hear of it, or no push is left and none was
    /// accepted.
    public let isUnheard: Bool
    /// One per member who was asked about, in the order of their ids; empty before it is decided.
    public private(set) var decisions: [MemberDecision]

    /// The same with the line of one person alone.
    public func only(_ user: UserID) -> AlertRecord {
        var record = self
        record.decisions.removeAll { $0.user != user }
        return record
    }
}

/// Which alerts of a store are wanted; nil asks for nothing.
public struct AlertFilter: Sendable {
    /// An alert kind's name.
    public var kind: String?
    /// The id of the order, conversation or variant.
    public var subjectID: String?
    /// Somewhere in what its texts name, in any case.
    public var text: String?
    /// Those that were decided for this person, whatever came of it.
    public var user: UserID?
    /// Those that were decided for this device; with `user`, as one of theirs.
    public var device: DeviceID?
    /// The first moment at which it happened.
    public var from: Timestamp?
    /// The first moment that is too late.
    public var to: Timestamp?
    /// Only those that nobody heard.
    public var isUnheard = false

    /// Wants all of them.
    public init() {}

    /// What a decision contains that is wanted, as `@>` takes it; nil for any.
    var decision: [UInt8]? {
        guard user != nil || device != nil else { return nil }
        var line = JSONObject()
        line["user_id"] = user.map { .text($0.description) }
        line["devices"] = device.map { [["device_id": .text($0.description)]] }
        return JSONValue.array([.object(line)]).encoded
    }
}

/// A store's alerts with what was decided for whom.
public enum AlertRecords {
    /// Newest first.
    ///
    /// - Parameter after: the last alert of the page before.
    public static func list(
        _ store: StoreID, _ filter: AlertFilter, after: AlertID?, limit: Int,
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> [AlertRecord] {
        try transaction.query(
            listSQL, .id(store), .optionalID(after), .int(limit), .optionalText(filter.kind),
            .optionalText(filter.subjectID), .optionalText(filter.text.map(pattern)),
            .optionalJSON(filter.decision), .optionalTimestamp(filter.from),
            .optionalTimestamp(filter.to),
            .bool(filter.isUnheard)
        ).map(record)
    }

    /// The text itself, wherever it stands: its own `%` and `_` mean nothing.
    private static func pattern(_ text: String) -> String {
        var pattern = "%"
        for character in text {
            if character == "%" || character == "_" || character == "\\" { pattern += "\\" }
            pattern.append(character)
        }
        return pattern + "%"
    }

    private static let listSQL: StaticSQL = """
        select a.store_id, a.id, a.kind, a.occurred_at, a.subject, a.content, a.external_id,
          a.event_type, a.raised_at, a.decided_at, a.is_unheard, a.decisions,
          case when a.parts > 0 then (
            select jsonb_agg(p.decisions order by p.part) from sineta.alert_parts p
            where p.store_id = a.store_id and p.alert_id = a.id) end
        from sineta.alerts a
        where a.store_id = $1 and ($2::uuid is null or a.id < $2)
          and ($4::text is null or a.kind = $4)
          and ($5::text is null or a.subject_id = $5)
          and ($6::text is null or exists (
            select from jsonb_path_query(a.content, 'strict $.** ? (@.type() == "string")') v
            where v #>> '{}' ilike $6))
          and ($7::jsonb is null or a.decisions @> $7
            or (a.parts > 0 and exists (select from sineta.alert_parts p
              where p.store_id = a.store_id and p.alert_id = a.id and p.decisions @> $7)))
          and ($8::timestamptz is null or a.occurred_at >= $8)
          and ($9::timestamptz is null or a.occurred_at < $9)
          and (not $10 or a.is_unheard)
        order by a.id desc limit $3
        """

    /// One alert with the decisions of all its parts; before it is decided, its event. Nil when the
    /// store has neither, and for an event that raised nothing.
    public static func find(
        _ store: StoreID, _ alert: AlertID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> AlertRecord? {
        // The id begins with the time of receipt in milliseconds, and that is an index.
        let time = Timestamp(microseconds: Int64(alert.uuid.high >> 16) * 1000)
        let rows = try transaction.pipeline([
            PostgresQuery(findSQL, .id(store), .id(alert)),
            PostgresQuery(
                """
                select external_id, type, occurred_at, received_at from sineta.events
                where store_id = $1 and id = $2 and reason is null
                  and received_at between $3 and $4
                """,
                .id(store), .id(alert), .timestamp(time - .seconds(1)),
                .timestamp(time + .seconds(1))),
        ])
        if let row = rows[0].first { return try record(row) }
        return try rows[1].first.map { row throws(PostgresError) in
            AlertRecord(
                alert: nil, id: alert, kind: nil, externalID: try row.text(0),
                eventType: try row.text(1), occurredAt: try row.timestamp(2),
                receivedAt: try row.timestamp(3), decidedAt: nil, isUnheard: false, decisions: [])
        }
    }

    /// The store of an alert, or of an event whose alert is not decided yet, for who knows no more
    /// than the id. Runs as `.worker`.
    public static func store(
        of alert: AlertID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> StoreID? {
        // Both times are those of the receipt, with which the id begins.
        let time = Timestamp(microseconds: Int64(alert.uuid.high >> 16) * 1000)
        let rows = try transaction.query(
            """
            select store_id from sineta.alerts
              where raised_at between $2 and $3 and id = $1
            union all
            select store_id from sineta.events
              where received_at between $2 and $3 and id = $1
            limit 1
            """,
            .id(alert), .timestamp(time - .seconds(1)), .timestamp(time + .seconds(1)))
        return try rows.first.map { row throws(PostgresError) in try row.id(0) }
    }

    private static let findSQL: StaticSQL = """
        select a.store_id, a.id, a.kind, a.occurred_at, a.subject, a.content, a.external_id,
          a.event_type, a.raised_at, a.decided_at, a.is_unheard, a.decisions,
          (select jsonb_agg(p.decisions order by p.part) from sineta.alert_parts p
            where p.store_id = a.store_id and p.alert_id = a.id)
        from sineta.alerts a where a.store_id = $1 and a.id = $2
        """

    private static func record(_ row: PostgresRow) throws(PostgresError) -> AlertRecord {
        var decisions = try row.value(11).array ?? []
        for part in try row.optionalValue(12)?.array ?? [] { decisions += part.array ?? [] }
        return AlertRecord(
            alert: try AlertRow.alert(row, at: 0), id: try row.id(1), kind: try row.text(2),
            externalID: try row.optionalText(6) ?? "", eventType: try row.optionalText(7) ?? "",
            occurredAt: try row.timestamp(3), receivedAt: try row.timestamp(8),
            decidedAt: try row.timestamp(9), isUnheard: try row.bool(10),
            decisions: decisions.compactMap { MemberDecision(json: $0) })
    }
}
