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
    /// A kind of job by what it is done through: the lane of its urgent work, and behind that
    /// number the one of its bulk.
    private struct Declaration {
        let kind: String
        var transport = ""
        /// Of several environments of a transport the first is that of devices that name none.
        var environment = ""
        let first: Int32
        var hasBulk = true

        var ids: [LaneID] { (first...(hasBulk ? first + 1 : first)).map { LaneID($0) } }

        func id(isUrgent: Bool) -> LaneID { LaneID(isUrgent || !hasBulk ? first : first + 1) }
    }

    /// A new kind or route is a line here, and its rows a migration.
    private static let table = [
        Declaration(kind: JobKinds.apply, first: 1, hasBulk: false),
        Declaration(kind: JobKinds.decide, first: 2),
        Declaration(
            kind: JobKinds.deliver, transport: "apns", environment: "production", first: 10),
        Declaration(kind: JobKinds.deliver, transport: "apns", environment: "sandbox", first: 12),
        Declaration(kind: JobKinds.deliver, transport: "fcm", first: 14),
    ]

    public static let apply = LaneID(1)

    public static func decide(isUrgent: Bool) -> LaneID { LaneID(isUrgent ? 2 : 3) }

    /// All lanes of a kind; none for a kind that is not of this product.
    public static func all(of kind: String) -> [LaneID] {
        table.filter { $0.kind == kind }.flatMap(\.ids)
    }

    /// The lane of a push: the provider of the device's transport, its environment, and urgency.
    /// Nil for a transport that no lane carries yet.
    public static func deliver(
        transport: String, environment: String, isUrgent: Bool
    ) -> LaneID? {
        var first: Declaration?
        for route in table where route.kind == JobKinds.deliver && route.transport == transport {
            if route.environment == environment { return route.id(isUrgent: isUrgent) }
            first = first ?? route
        }
        return first?.id(isUrgent: isUrgent)
    }
}
