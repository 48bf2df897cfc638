public import Jobs

/// The kinds of job of this product.
public enum JobKinds {
    /// An event that `sineta.emit` raised in SQL and that is to be taken in; `args` holds the
    /// event.
    public static let apply = "events.apply"
    /// An alert whose audience is to be decided.
    public static let decide = "alerts.decide"
    /// One push to one device.
    public static let deliver = "push.deliver"
}

/// The lanes that the schema makes, by name.
public enum Lanes {
    /// Where `events.apply` waits.
    public static let apply = LaneID(1)

    /// Where `alerts.decide` waits, by the urgency of the alert's kind.
    public static func decide(isUrgent: Bool) -> LaneID { LaneID(isUrgent ? 2 : 3) }

    /// The lane of a push: the provider of the device's transport, its environment, and urgency.
    /// Nil for a transport that no lane carries yet.
    public static func deliver(
        transport: String, environment: String, isUrgent: Bool
    ) -> LaneID? {
        let first: Int32
        switch (transport, environment) {
        case ("apns", "sandbox"): first = 12
        case ("apns", _): first = 10
        case ("fcm", _): first = 14
        default: return nil
        }
        return LaneID(isUrgent ? first : first + 1)
    }
}
