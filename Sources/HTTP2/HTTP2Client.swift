public import Runtime

/// An HTTP/2 client for one origin: a few long-lived connections, many streams, one thread.
///
/// Requests that the peer has certainly not processed (behind a GOAWAY, refused, or not one byte
/// written) are sent again on another connection without a word to the caller, until their
/// deadline. Everything else ends with a failure that says whether the peer may have acted.
public final class HTTP2Client: Sendable {
    /// The one server that it speaks to.
    public let origin: HTTP2Origin
    private let engine: ClientEngine

    /// Starts its thread, and connects to nothing before there is a request.
    public init(
        origin: HTTP2Origin, configuration: HTTP2ClientConfiguration = .init(),
        log: Log = .silent, metrics: Metrics = Metrics()
    ) {
        self.origin = origin
        let gauges = ClientGauges()
        let counts = ClientCounts(metrics, origin, gauges)
        engine = ClientEngine(origin, configuration, log: log, counts: counts, gauges: gauges)
        engine.start()
    }

    deinit { close() }

    /// Sends a request; the completion is called once, on the client's own thread, and must not
    /// block it. May be called from any thread, and from a completion.
    ///
    /// - Parameters:
    ///   - startBy: when its stream must have opened and its last frame be made, whether it is sent
    ///     for the first time or again; else it ends as `.notStarted`, while a connection that is
    ///     being made goes on being made.
    ///     When the last try to connect failed it ends as `.connect`.
    ///   - onFreshConnection: send it over a connection that no request has used yet. Those that
    ///     exist take no more requests and end with the last they have.
    ///   - newerThan: the same for connections up to this `HTTP2Response.connection` only, so that
    ///     many who had the same bad answer share one new connection.
    ///   - firstHeader: makes a header that goes before the request's own, on the client's thread
    ///     and only when the request gets its stream: a request that waited, or is sent again, must
    ///     not carry a credential that was replaced meanwhile.
    public func submit(
        _ request: HTTP2Request, deadline: Deadline, startBy: Deadline? = nil,
        onFreshConnection: Bool = false, newerThan connection: UInt64 = 0,
        firstHeader: (@Sendable () -> HTTP2Header)? = nil,
        _ completion: @escaping @Sendable (Result<HTTP2Response, HTTP2Failure>) -> Void
    ) {
        let oldest = onFreshConnection ? max(connection, engine.gauges.newest) : connection
        engine.gauges.enter()
        engine.take(
            Exchange(
                request, deadline: deadline.instant, startBy: startBy?.instant, newerThan: oldest,
                firstHeader: firstHeader, completion: completion))
    }

    /// Sends a request and waits for its end. The wait ends with the deadline at the latest;
    /// cancelling the task does not shorten it.
    public func send(
        _ request: HTTP2Request, deadline: Deadline, startBy: Deadline? = nil,
        onFreshConnection: Bool = false, newerThan connection: UInt64 = 0
    ) async -> Result<HTTP2Response, HTTP2Failure> {
        await handedOver { handOver in
            submit(
                request, deadline: deadline, startBy: startBy,
                onFreshConnection: onFreshConnection, newerThan: connection
            ) { handOver($0) }
        }
    }

    /// How many more requests would find a stream at once. While there is no connection it is what
    /// may sensibly be handed over to open one: at least 1.
    public var freeStreams: Int { engine.gauges.free }

    /// Requests that were handed over and have not ended.
    public var inFlight: Int { engine.gauges.inFlight }

    /// Ends all connections now. Requests without an answer fail: `.unknown` if they may have
    /// arrived, else `.notSent(.closed)`; later ones fail with the latter.
    public func close() {
        engine.loop.post { [engine] in engine.close() }
    }

    /// Waits until no request is in flight or the deadline has passed, then closes.
    public func drain(until deadline: Deadline) async {
        await withCheckedContinuation { continuation in
            let isTaken = engine.loop.post { [engine] in
                engine.drain(until: deadline) { continuation.resume() }
            }
            if !isTaken { continuation.resume() }
        }
        close()
    }
}
