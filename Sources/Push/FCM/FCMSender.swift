import Alerts
import Cryptography
import HTTP2
public import Runtime
import Synchronization
import Values
public import WebClient

/// Sends to FCM HTTP v1 over a few long-lived connections, with one access token for all.
///
/// A 401 renews the token and repeats the push once.
public final class FCMSender: Sendable {
    public let route: PushRoute
    public let credentials: FCMCredentials
    private let settings: PushSettings
    private let path: String
    private let client: HTTP2Client
    private let tokens: FCMTokenSource
    private let clock: PushClock
    private let metrics: PushMetrics
    /// Pushes that wait for an access token.
    private let waiting = Atomic<Int>(0)

    public convenience init(
        route: PushRoute, credentials: FCMCredentials, endpoint: PushEndpoint, web: WebClient,
        settings: PushSettings = PushSettings(), clock: PushClock = .system, log: Log = .silent,
        metrics: Metrics = Metrics()
    ) {
        self.init(
            route: route, credentials: credentials, endpoint: endpoint, settings: settings,
            clock: clock, log: log, metrics: metrics
        ) { await Self.fetch(credentials, web, clock, deadline: $0) }
    }

    /// - Parameter fetch: where access tokens come from.
    init(
        route: PushRoute, credentials: FCMCredentials, endpoint: PushEndpoint,
        settings: PushSettings, clock: PushClock, log: Log, metrics: Metrics,
        fetch: @escaping FCMTokenSource.Fetch
    ) {
        let log = log.with(["provider": "fcm"])
        let counted = PushMetrics(metrics, route)
        self.route = route
        self.credentials = credentials
        self.settings = settings
        self.clock = clock
        self.metrics = counted
        path = FCMPayload.path(project: credentials.project)
        tokens = FCMTokenSource(clock: clock, log: log, metrics: counted, fetch: fetch)
        var configuration = HTTP2ClientConfiguration()
        configuration.trust = endpoint.trust
        configuration.connections = settings.connections
        configuration.connectTimeout = settings.timeout
        client = HTTP2Client(
            origin: endpoint.origin, configuration: configuration, log: log, metrics: metrics)
    }

    /// Sends pushes side by side.
    ///
    /// - Parameters:
    ///   - deadline: for every push of the batch, token and repeat included; nil takes the provider
    ///     timeout from now.
    ///   - startBy: when every push, its repeat included, must be on its way: one that waits for a
    ///     token or a stream longer ends without having started.
    ///   - completion: called once per push with its index, on a thread that it must not block; the
    ///     order is that of the answers.
    public func send(
        _ pushes: [FCMPush], deadline: Deadline? = nil, startBy: Deadline? = nil,
        completion: @escaping @Sendable (Int, PushResult) -> Void
    ) {
        send(pushes, deadline, startBy, isProbe: false, completion)
    }

    /// Sends one push and waits for its end.
    public func send(
        _ push: FCMPush, deadline: Deadline? = nil, startBy: Deadline? = nil
    ) async -> PushResult {
        await handedOver { handOver in
            send([push], deadline: deadline, startBy: startBy) { handOver($1) }
        }
    }

    /// Asks FCM about the credentials with a message that it only validates, to a topic that nobody
    /// has: no device is touched.
    public func probe(deadline: Deadline? = nil) async -> ProbeResult {
        let push = FCMPush(body: Self.probeBody, countedBytes: 0)
        let result = await handedOver { handOver in
            send([push], deadline, nil, isProbe: true) { handOver($1) }
        }
        return ProbeResult(result.outcome)
    }

    static let probeBody = Array(
        #"{"validate_only":true,"message":{"topic":"sineta-doctor","data":{"kind":"test"}}}"#.utf8)

    /// How many more pushes would find a stream at once; at least 1 while there is no connection.
    public var freeStreams: Int {
        max(0, client.freeStreams - waiting.load(ordering: .relaxed))
    }

    /// Pushes that were handed over and have not ended.
    public var inFlight: Int { client.inFlight + waiting.load(ordering: .relaxed) }

    /// Ends the connections now; pushes without an answer end as such.
    public func close() { client.close() }

    /// Waits until no push is in flight or the deadline has passed, then closes.
    public func drain(until deadline: Deadline) async { await client.drain(until: deadline) }

    private func send(
        _ pushes: [FCMPush], _ deadline: Deadline?, _ startBy: Deadline?, isProbe: Bool,
        _ completion: @escaping @Sendable (Int, PushResult) -> Void
    ) {
        guard !pushes.isEmpty else { return }
        let deadline = deadline ?? .after(settings.timeout)
        waiting.add(pushes.count, ordering: .relaxed)
        // The doctor wants to know how it is now, not how it was a second ago.
        tokens.token(isPatient: !isProbe, deadline: deadline) { [self] answer in
            for (index, push) in pushes.enumerated() {
                let attempt = FCMAttempt(
                    push: push, deadline: deadline, startBy: startBy)
                go(attempt, answer) { completion(index, $0) }
            }
            waiting.subtract(pushes.count, ordering: .relaxed)
        }
    }

    private func go(
        _ attempt: FCMAttempt, _ answer: FCMTokenSource.Answer,
        completion: @escaping @Sendable (PushResult) -> Void
    ) {
        switch answer {
        case .success(let token): submit(attempt, token, completion: completion)
        case .failure(let fault):
            completion(attempt.result(without: fault))
        }
    }

    private func submit(
        _ attempt: FCMAttempt, _ token: FCMToken,
        completion: @escaping @Sendable (PushResult) -> Void
    ) {
        metrics.request()
        let start = ContinuousClock.now
        client.submit(
            attempt.request(token, path: path), deadline: attempt.deadline,
            startBy: attempt.startBy
        ) { [self] result in
            let outcome = attempt.outcome(result, now: clock.now())
            metrics.ended(outcome, after: ContinuousClock.now - start)
            guard case .credentialsRefused(_, .newToken) = outcome, let next = attempt.repeated()
            else { return completion(attempt.result(outcome, result)) }
            tokens.token(otherThan: token.number, deadline: next.deadline) { [self] answer in
                go(next, answer, completion: completion)
            }
        }
    }

    private static func fetch(
        _ credentials: FCMCredentials, _ web: WebClient, _ clock: PushClock, deadline: Deadline
    ) async -> Result<FCMAccessToken, FCMTokenFault> {
        do {
            let request = try FCMTokenRequest.make(credentials, now: clock.now())
            let response = try await web.send(request, deadline: deadline)
            return Result { () throws(FCMTokenFault) in try FCMTokenRequest.read(response) }
        } catch let failure as WebFailure {
            return .failure(FCMTokenFault(failure))
        } catch {
            return .failure(.refused(status: 0, reason: "cannot_sign", detail: "\(error)"))
        }
    }
}
