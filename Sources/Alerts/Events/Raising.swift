import JSON
public import Values

/// Why an event raised no alert. The words of the API.
public enum NoAlertReason: String, Sendable, CaseIterable {
    case alreadyRaised = "already_raised"
    case aboveThreshold = "above_threshold"
    case alreadyToday = "already_today"
    case stale
    case botOn = "bot_on"
    case noAssignee = "no_assignee"
    case noAlert = "no_alert"
    case tooOld = "too_old"
}

/// What must be known of a store to tell whether an event is worth an alert.
public struct RaisingFacts: Sendable {
    public var receivedAt: Timestamp
    /// How old an event may be; nil: as long as its kind lives.
    public var maxAge: Duration?
    /// Whether the once-for-ever mark of this subject stands: the order for this kind, the message,
    /// or the conversation that started without one.
    public var isMarked = false
    /// The store's low-stock threshold.
    public var threshold: Int64 = 5
    /// Whether something newer is known of this variant and location.
    public var isStale = false
    /// Whether this variant and location alerted on this event's day, in the store's time zone.
    public var alertedToday = false
    /// The conversation's bot flag after this event was applied.
    public var botEnabled = false

    public init(receivedAt: Timestamp) { self.receivedAt = receivedAt }
}

/// Whether an event is worth an alert.
public enum Raising: Sendable, Equatable {
    case alert(AlertKind)
    case none(NoAlertReason)

    /// The first reason against it, else the kind. Reads no clock and no database.
    public static func decide(_ event: Event, _ facts: RaisingFacts) -> Raising {
        guard let kind = event.type.alert else { return .none(.noAlert) }
        let age = facts.receivedAt - event.time(receivedAt: facts.receivedAt)
        if age > (facts.maxAge ?? kind.life) { return .none(.tooOld) }
        if let reason = reason(event, facts) { return .none(reason) }
        return .alert(kind)
    }

    private static func reason(_ event: Event, _ facts: RaisingFacts) -> NoAlertReason? {
        switch event.type.subject {
        case .order: facts.isMarked ? .alreadyRaised : nil
        case .stock: stockReason(event, facts)
        case .conversation: conversationReason(event, facts)
        }
    }

    private static func stockReason(_ event: Event, _ facts: RaisingFacts) -> NoAlertReason? {
        if facts.isStale { return .stale }
        if (event.data["quantity"]?.integer ?? 0) > facts.threshold { return .aboveThreshold }
        return facts.alertedToday ? .alreadyToday : nil
    }

    private static func conversationReason(
        _ event: Event, _ facts: RaisingFacts
    ) -> NoAlertReason? {
        switch event.type {
        case .conversationsHandedOver: nil
        case .conversationsAssigned: event.data["assignee_id"]?.text == nil ? .noAssignee : nil
        default: facts.botEnabled ? .botOn : facts.isMarked ? .alreadyRaised : nil
        }
    }
}
