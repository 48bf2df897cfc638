public import JSON
public import Values

/// A fact about one store, as a commerce backend posted it: checked, ids in lower case, times in
/// UTC, unknown fields gone.
public struct Event: Sendable, Equatable {
    /// The caller's own id of it: its business identity within the store.
    public let id: String
    /// Its declaration.
    public let type: EventType
    /// When it happened, as the caller says; nil: when it was received.
    public let occurredAt: Timestamp?
    /// The known fields in their declared order. Absent ones are absent and nulls are nulls.
    public let data: JSONObject

    /// Checks nothing: `read` does.
    public init(id: String, type: EventType, occurredAt: Timestamp?, data: JSONObject) {
        self.id = id
        self.type = type
        self.occurredAt = occurredAt
        self.data = data
    }

    /// The moment that counts: never later than the receipt.
    public func time(receivedAt: Timestamp) -> Timestamp {
        min(occurredAt ?? receivedAt, receivedAt)
    }

    /// The event as it could be posted again.
    public var json: JSONValue {
        var object = JSONObject([("id", .text(id)), ("type", .text(type.name))])
        object["occurred_at"] = occurredAt.map { .text($0.rfc3339) }
        object["data"] = .object(data)
        return .object(object)
    }
}
