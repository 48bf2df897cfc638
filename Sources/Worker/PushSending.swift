public import Alerts
public import Push
public import Runtime
public import Values

/// One push that may go out now.
public struct ReadyPush: Sendable {
    public let push: OutgoingPush
    public let token: Secret<String>
    /// When the device registered last: what a provider says of an older registration is no news.
    public let registeredAt: Timestamp
    /// The database's time, a moment ago: from it the time to live counts.
    public let at: Timestamp

    public init(
        push: OutgoingPush, token: Secret<String>, registeredAt: Timestamp, at: Timestamp
    ) {
        self.push = push
        self.token = token
        self.registeredAt = registeredAt
        self.at = at
    }
}

/// A provider's credential in one environment, as the deliverer uses it.
public protocol PushSending: Sendable {
    /// How many more pushes would find a stream at once.
    var freeStreams: Int { get }

    /// Writes the pushes for their provider and sends them side by side.
    ///
    /// - Parameters:
    ///   - startBy: when each must be on its way, a repeat of it too: one that waits for a stream
    ///     or a token longer ends without having started.
    ///   - completion: called once for each with its index, on any thread, which it must not block;
    ///     the order is that of the answers.
    func send(
        _ pushes: [ReadyPush], deadline: Deadline, startBy: Deadline,
        completion: @escaping @Sendable (Int, PushResult) -> Void)

    /// Asks whether the credentials are accepted, without any user's device.
    func probe(deadline: Deadline) async -> ProbeResult
}

extension APNsSender: PushSending {
    public func send(
        _ pushes: [ReadyPush], deadline: Deadline, startBy: Deadline,
        completion: @escaping @Sendable (Int, PushResult) -> Void
    ) {
        let written = pushes.map { ready in
            APNsPush(
                token: ready.token,
                payload: APNsPayload(ready.push, bundleID: credentials.bundleID),
                registeredAt: ready.registeredAt)
        }
        send(written, deadline: deadline, startBy: startBy, completion: completion)
    }

    public func probe(deadline: Deadline) async -> ProbeResult {
        await probe(deadline: Optional(deadline))
    }
}

extension FCMSender: PushSending {
    public func send(
        _ pushes: [ReadyPush], deadline: Deadline, startBy: Deadline,
        completion: @escaping @Sendable (Int, PushResult) -> Void
    ) {
        let written = pushes.map { ready in
            FCMPush(FCMPayload(ready.push, token: ready.token.reveal(), now: ready.at))
        }
        send(written, deadline: deadline, startBy: startBy, completion: completion)
    }

    public func probe(deadline: Deadline) async -> ProbeResult {
        await probe(deadline: Optional(deadline))
    }
}
