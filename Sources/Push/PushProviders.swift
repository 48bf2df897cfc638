public import Runtime

/// The senders of a process, each found by its route. A route without a sender is not configured.
public final class PushProviders: Sendable {
    private let apns: [PushRoute: APNsSender]
    private let fcm: [PushRoute: FCMSender]

    /// - Parameters: senders of different routes; of two for one route the last counts
    public init(apns: [APNsSender] = [], fcm: [FCMSender] = []) {
        self.apns = Dictionary(apns.map { ($0.route, $0) }) { _, last in last }
        self.fcm = Dictionary(fcm.map { ($0.route, $0) }) { _, last in last }
    }

    /// What is configured, in the order of transport and environment.
    public var routes: [PushRoute] {
        (Array(apns.keys) + Array(fcm.keys)).sorted {
            ($0.app, $0.transport, $0.environment) < ($1.app, $1.transport, $1.environment)
        }
    }

    public func apns(_ route: PushRoute) -> APNsSender? { apns[route] }
    public func fcm(_ route: PushRoute) -> FCMSender? { fcm[route] }

    /// Whether a device on this route can be reached: step 10 of deciding.
    public func has(_ route: PushRoute) -> Bool { apns[route] != nil || fcm[route] != nil }

    /// What the provider knows us by on this route, without any key; nil without a sender.
    public func words(about route: PushRoute) -> String? {
        apns[route].map { "\($0.credentials)" } ?? fcm[route].map { "\($0.credentials)" }
    }

    /// Asks the provider about the route's credentials without a user's device; nil without a
    /// sender.
    public func probe(_ route: PushRoute, deadline: Deadline? = nil) async -> ProbeResult? {
        if let sender = apns[route] { return await sender.probe(deadline: deadline) }
        if let sender = fcm[route] { return await sender.probe(deadline: deadline) }
        return nil
    }

    /// Asks about all routes side by side.
    ///
    /// - Returns: what each said, in the order of `routes`.
    public func probeAll(
        deadline: Deadline? = nil
    ) async -> [(route: PushRoute, result: ProbeResult)] {
        await withTaskGroup(of: (PushRoute, ProbeResult?).self) { group in
            for route in routes {
                group.addTask { (route, await self.probe(route, deadline: deadline)) }
            }
            var results: [PushRoute: ProbeResult] = [:]
            for await (route, result) in group { results[route] = result }
            return routes.compactMap { route in results[route].map { (route, $0) } }
        }
    }

    /// Waits until no push is in flight or the deadline has passed, then closes all connections.
    public func drain(until deadline: Deadline) async {
        await withTaskGroup(of: Void.self) { group in
            for sender in apns.values { group.addTask { await sender.drain(until: deadline) } }
            for sender in fcm.values { group.addTask { await sender.drain(until: deadline) } }
        }
    }

    /// Ends all connections now.
    public func close() {
        for sender in apns.values { sender.close() }
        for sender in fcm.values { sender.close() }
    }
}
