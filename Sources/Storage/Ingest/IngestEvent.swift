public import Alerts
import JSON
public import Jobs
public import Values

/// One event of one store, checked and read, as the transaction of `Ingest` takes it.
///
/// An object, since it goes from list to list on its way and has many fields to copy.
public final class IngestEvent: Sendable {
    public let store: StoreID
    /// Ours, version 7 with the time of `receivedAt`, whoever's clock that is: events and alerts
    /// are looked up by the time in it, and inboxes sorted. Also the alert's when one is raised.
    public let id: EventID
    public let event: Event
    public let receivedAt: Timestamp
    /// When it happened, never after it was received.
    public let occurredAt: Timestamp
    /// Until when an alert about it is worth showing.
    let expiresAt: Timestamp
    /// Whether it is young enough to raise anything; what it says is kept in any case.
    let mayRaise: Bool
    let content: EventContent
    /// The request that brought it, where its caller gave it an id.
    let origin: JobOrigin?

    /// Nil for data that the reader of events would refuse (a row changed by hand).
    ///
    /// - Parameters:
    ///   - maxAge: the setting `ALERT_MAX_AGE_SECONDS`; nil: as long as the kind lives.
    ///   - origin: goes into the arguments of the job that decides.
    public init?(
        store: StoreID, id: EventID, event: Event, receivedAt: Timestamp,
        maxAge: Duration? = nil, origin: JobOrigin? = nil
    ) {
        guard let content = event.content else { return nil }
        self.store = store
        self.id = id
        self.event = event
        self.receivedAt = receivedAt
        self.content = content
        self.origin = origin
        occurredAt = event.time(receivedAt: receivedAt)
        expiresAt = occurredAt + (maxAge ?? event.type.alert?.life ?? .seconds(3600))
        mayRaise = receivedAt <= expiresAt
    }

    /// What the job that decides is given.
    var args: [UInt8] {
        guard let origin, var object = event.json.object else { return event.json.encoded }
        origin.write(to: &object)
        return JSONValue.object(object).encoded
    }

    /// A reason that needs no look at what is kept, so that the event's row is written once.
    var knownReason: NoAlertReason? {
        if event.type.alert == nil { return .noAlert }
        if case .conversation(let content) = content,
            event.type == .conversationsAssigned, content.assigneeID.value == nil
        {
            return .noAssignee
        }
        return mayRaise ? nil : .tooOld
    }
}

/// What the caller is told of one event; a duplicate carries what the first call was told.
public struct IngestResult: Sendable, Equatable {
    /// The caller's own id.
    public let externalID: String
    public let id: EventID
    public let isDuplicate: Bool
    /// A word of `NoAlertReason`, as stored: an event of a newer release keeps its word.
    public let reason: String?

    public init(externalID: String, id: EventID, isDuplicate: Bool, reason: String?) {
        self.externalID = externalID
        self.id = id
        self.isDuplicate = isDuplicate
        self.reason = reason
    }

    /// The event's own UUID when it raised an alert.
    public var alert: AlertID? { reason == nil ? id : nil }
}

/// One thing of one store.
struct SubjectKey: Hashable {
    let store: StoreID
    let id: String
}
