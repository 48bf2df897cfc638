import Alerts
import Cryptography
import HTTP2
public import Runtime
import Values

/// Sends to APNs over a few long-lived connections, with one provider token for all.
///
/// The first request of a connection goes alone until one was accepted, as Apple asks. What the
/// peer has not processed is sent again by the client below without costing anything; a token that
/// has expired, or a connection bound to another key, is mended and the push repeated once.
public final class APNsSender: Sendable {
    public let route: PushRoute
    public let credentials: APNsCredentials
    private let settings: PushSettings
    private let client: HTTP2Client
    private let tokens: APNsTokenSource
    private let clock: PushClock
    private let log: Log
    private let metrics: PushMetrics

    public init(
        route: PushRoute, credentials: APNsCredentials, endpoint: PushEndpoint,
        settings: PushSettings = PushSettings(), clock: PushClock = .system, log: Log = .silent,
        metrics: Metrics = Metrics()
    ) {
        self.route = route
        self.credentials = credentials
        self.settings = settings
        self.clock = clock
        self.log = log.with(["provider": "apns", "environment": .text(route.environment)])
        self.metrics = PushMetrics(metrics, route)
        tokens = APNsTokenSource(credentials, clock: clock, metrics: self.metrics)
        var configuration = HTTP2ClientConfiguration()
        configuration.trust = endpoint.trust
        configuration.connections = settings.connections
        configuration.firstRequestAlone = true
        configuration.connectTimeout = settings.timeout
        client = HTTP2Client(
            origin: endpoint.origin, configuration: configuration, log: self.log, metrics: metrics)
    }

    /// Sends pushes side by side.
    ///
    /// - Parameters:
    ///   - deadline: for every push of the batch, its repeat included; nil takes the provider
    ///     timeout from now.
    ///   - startBy: when every push, its repeat included, must be on its way: one that waits for a
    ///     stream longer ends without having started.
    ///   - completion: called once per push with its index, on the connection's thread, which it
    ///     must not block; the order is that of the answers.
    public func send(
        _ pushes: [APNsPush], deadline: Deadline? = nil, startBy: Deadline? = nil,
        completion: @escaping @Sendable (Int, PushResult) -> Void
    ) {
        send(pushes, deadline, startBy, isProbe: false, completion)
    }

    /// Sends one push and waits for its end.
    public func send(
        _ push: APNsPush, deadline: Deadline? = nil, startBy: Deadline? = nil
    ) async -> PushResult {
        await handedOver { handOver in
            send([push], deadline: deadline, startBy: startBy) { handOver($1) }
        }
    }

    /// Asks APNs about the credentials with a push to a made-up token, over a connection of its
    /// own: `BadDeviceToken` means that key, team and topic were let pass.
    public func probe(deadline: Deadline? = nil) async -> ProbeResult {
        let now = clock.now()
        let text = AlertText(title: "Sineta", body: nil)
        let payload = APNsPayload(
            .test(id: PushID(.v7()), text: text, now: now), bundleID: credentials.bundleID)
        let madeUp = Secret(Hex.encode(SecureRandom.bytes(32)))
        let push = APNsPush(token: madeUp, payload: payload, registeredAt: now)
        let result = await handedOver { handOver in
            send([push], deadline, nil, isProbe: true) { handOver($1) }
        }
        return ProbeResult(result.outcome)
    }

    /// How many more pushes would find a stream at once; at least 1 while there is no connection.
    public var freeStreams: Int { client.freeStreams }

    /// Pushes that were handed over and have not ended.
    public var inFlight: Int { client.inFlight }

    /// Ends the connections now; pushes without an answer end as such.
    public func close() { client.close() }

    /// Waits until no push is in flight or the deadline has passed, then closes.
    public func drain(until deadline: Deadline) async { await client.drain(until: deadline) }

    private func send(
        _ pushes: [APNsPush], _ deadline: Deadline?, _ startBy: Deadline?, isProbe: Bool,
        _ completion: @escaping @Sendable (Int, PushResult) -> Void
    ) {
        let deadline = deadline ?? .after(settings.timeout)
        do throws(CryptographyFault) {
            let token = try tokens.current()
            for (index, push) in pushes.enumerated() {
                let attempt = APNsAttempt(
                    push: push, deadline: deadline, startBy: startBy,
                    isProbe: isProbe)
                submit(attempt, token) { completion(index, $0) }
            }
        } catch {
            let result = unsigned(error)
            for index in pushes.indices { completion(index, result) }
        }
    }

    /// - Parameter token: what to send with; a newer one goes first, since the request may wait for
    ///   a stream while the token is replaced, and an old one would spoil the new connection.
    private func submit(
        _ attempt: APNsAttempt, _ token: APNsToken,
        completion: @escaping @Sendable (PushResult) -> Void
    ) {
        metrics.request()
        let start = ContinuousClock.now
        let sent = SentToken(token)
        client.submit(
            attempt.request, deadline: attempt.deadline, startBy: attempt.startBy,
            onFreshConnection: attempt.isProbe && attempt.repeatsOn == nil,
            newerThan: attempt.repeatsOn ?? 0,
            firstHeader: { [tokens] in sent.header(try? tokens.current()) }
        ) { [self] result in
            let outcome = attempt.outcome(result, now: clock.now())
            metrics.ended(outcome, after: ContinuousClock.now - start)
            if case .success(let response) = result,
                case .credentialsRefused(_, let remedy?) = outcome,
                let (next, token) = mended(attempt, sent.token, remedy, response)
            {
                return submit(next, token, completion: completion)
            }
            completion(attempt.result(outcome, result))
        }
    }

    /// The repeat of a refused push; nil if it has had its repeat, or there is nothing to mend
    /// with.
    private func mended(
        _ attempt: APNsAttempt, _ token: APNsToken, _ remedy: ProviderOutcome.Remedy,
        _ response: HTTP2Response
    ) -> (APNsAttempt, APNsToken)? {
        guard let next = attempt.repeated(on: response.connection) else { return nil }
        // The token of a connection that is bound to another key is good, and changing it more than
        // once in twenty minutes is what Apple refuses.
        guard remedy == .newTokenAndConnection else { return (next, token) }
        do throws(CryptographyFault) {
            return try tokens.replacement(for: token.number).map { (next, $0) }
        } catch {
            log.error("a provider token cannot be signed", ["error": "\(error)"])
            return nil
        }
    }

    private func unsigned(_ fault: CryptographyFault) -> PushResult {
        log.error("a provider token cannot be signed", ["error": "\(fault)"])
        return PushResult(
            outcome: .credentialsRefused(
                ProviderWord(status: 0, reason: "cannot_sign"), remedy: nil),
            requests: 0, mayHaveArrived: false)
    }
}

/// The token that a request went out with at last, which may be newer than when it was handed over.
private final class SentToken: Sendable {
    private let latest: Lock<APNsToken>

    init(_ token: APNsToken) {
        latest = Lock(token)
    }

    var token: APNsToken { latest.withLock { $0 } }

    /// - Parameter current: nil if a new one could not be signed; the one at hand must do then.
    func header(_ current: APNsToken?) -> HTTP2Header {
        let token = latest.withLock { latest in
            if let current { latest = current }
            return latest
        }
        return HTTP2Header("authorization", token.bearer.reveal(), isSensitive: true)
    }
}
