import CMicrohttpd
import Glibc
import Runtime
import Synchronization
import Values

/// What all connections of one server share.
final class ServerCore: Sendable {
    let configuration: HTTPServerConfiguration
    let verdict: @Sendable (HTTPRequestHead) -> HTTPVerdict
    let tooLarge: @Sendable (HTTPRequestHead, Int) -> HTTPResponse
    let handler: @Sendable (HTTPRequest) async -> HTTPResponse
    let registry = Registry()

    private let name: String
    private let log: Log
    private let requests: Counter
    private let seconds: Histogram
    private let refusals: Counter
    private let draining = Atomic(false)
    private let closing = Atomic(false)
    private let watching = Lock<Watch?>(nil)

    init(
        name: String, configuration: HTTPServerConfiguration, log: Log, metrics: Metrics,
        verdict: @escaping @Sendable (HTTPRequestHead) -> HTTPVerdict,
        tooLarge: @escaping @Sendable (HTTPRequestHead, Int) -> HTTPResponse,
        handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) {
        self.name = name
        self.configuration = configuration
        self.log = log
        self.verdict = verdict
        self.tooLarge = tooLarge
        self.handler = handler
        requests = metrics.counter(
            "http_requests_total", "Requests answered.", labels: ["server", "route", "status"])
        seconds = metrics.histogram(
            "http_request_seconds", "From a request's head to the last byte of its answer.",
            labels: ["server", "route"])
        refusals = metrics.counter(
            "http_refused_total", "Connections ended by a limit, a deadline or a malformed head.",
            labels: ["server", "reason"])
        let open = metrics.gauge("http_open_connections", "Open connections.", labels: ["server"])
        metrics.sample { [registry] in open.set(Double(registry.count), name) }
    }

    /// No new requests are wanted: each answer ends its connection.
    var isDraining: Bool { draining.load(ordering: .acquiring) }
    /// Nothing may be suspended any more.
    var isClosing: Bool { closing.load(ordering: .acquiring) }

    func answered(route: String, status: Int, seconds elapsed: Double) {
        requests.add(1, name, route, String(status))
        seconds.observe(elapsed, name, route)
    }

    func refused(_ reason: String) { refusals.add(1, name, reason) }

    // MARK: Watching

    func startWatching() {
        let limits = [
            configuration.headDeadline, configuration.bodyDeadline, configuration.idleTimeout,
            configuration.drain, .seconds(4),
        ]
        let tick = (limits.map(\.milliseconds).min() ?? 1000) / 4
        let watch = Watch(
            tick: Int32(clamping: max(5, tick)),
            peerLeft: { [self] id in
                registry.connection(id)?.current.withLock { $0 }?.clientLeft()
            }, check: { [self] now in check(at: now) })
        watching.withLock { $0 = watch }
    }

    func stopWatching() { watching.withLock { $0.take() }?.stop() }

    func watch(_ connection: Connection) { watching.withLock { $0 }?.add(connection) }

    private func check(at now: UInt64) {
        for connection in registry.all { check(connection, at: now) }
        registry.expireWaiting(at: now)
    }

    private func check(_ connection: Connection, at now: UInt64) {
        let (phase, lasted) = connection.phase(at: now)
        let limit: (Duration, String)
        switch phase {
        case .head: limit = (configuration.headDeadline, "head_deadline")
        case .body: limit = (configuration.bodyDeadline, "body_deadline")
        case .idle: limit = (configuration.idleTimeout, "idle")
        case .busy: return
        }
        if lasted > UInt64(limit.0.microseconds) * 1000 {
            // libmicrohttpd may take longer than a tick to see the end.
            guard connection.isCutFirst() else { return }
            if phase != .idle { refused(limit.1) }
            registry.shut(connection, Int32(SHUT_RDWR))
        } else if phase == .idle, connection.hasReceived(within: lasted) {
            connection.enterHeadFromIdle()
        }
    }

    // MARK: Ending

    /// Ends what has no request in flight. What such a socket has received already is still read,
    /// so a request that came at this very moment is answered.
    func beginDraining() {
        draining.store(true, ordering: .releasing)
        let now = monotonicNanoseconds()
        for connection in registry.all {
            switch connection.phase(at: now).0 {
            case .idle, .head: registry.shut(connection, Int32(SHUT_RD))
            case .body, .busy: connection.current.withLock { $0 }?.drain()
            }
        }
    }

    /// Ends everything, whatever it is at.
    func abandonAll() {
        closing.store(true, ordering: .releasing)
        for connection in registry.all {
            log.warning("request cut off at shutdown", ["server": .text(name)])
            connection.current.withLock { $0 }?.abandon()
            registry.shut(connection, Int32(SHUT_RDWR))
        }
    }
}
