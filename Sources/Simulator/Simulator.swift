public import HTTP2
import HTTPServer
public import Runtime
import Values

/// Doubles of APNs (both environments) and FCM that speak the real protocols and hold to the real
/// rules, with an inbox of what arrived and a script of answers set ahead.
public final class Simulator: Service {
    private struct Running: Sendable {
        let ports: SimulatorPorts
        let control: HTTPServer
        let doubles: [HTTP2Server]
    }

    public let name = "simulator"
    /// What arrived.
    public let inbox: Inbox
    /// What is set ahead.
    public let script: Script
    /// What the doubles believe.
    public let credentials: SimulatorCredentials

    let configuration: SimulatorConfiguration
    private let log: Log
    private let metrics: Metrics
    private let desk: Desk
    private let fcm: FCMDouble
    private let running = Lock<Running?>(nil)

    /// Starts nothing: `start` or `run` does.
    public init(
        _ configuration: SimulatorConfiguration, credentials: SimulatorCredentials,
        log: Log = .silent, metrics: Metrics = Metrics()
    ) {
        self.configuration = configuration
        self.credentials = credentials
        self.log = log
        self.metrics = metrics
        inbox = Inbox(limit: configuration.inboxLimit, discards: configuration.discards)
        script = Script()
        desk = Desk(inbox, script, clock: configuration.clock)
        fcm = FCMDouble(credentials, configuration, desk: desk)
    }

    /// Where it listens; nil before `start`.
    public var ports: SimulatorPorts? { running.withLock { $0?.ports } }

    /// The connections that are open now, of all doubles.
    public var connections: [HTTP2ServerConnection] {
        running.withLock { $0?.doubles.flatMap(\.connections) ?? [] }
    }

    /// Makes every access token that was given out worthless.
    public func revokeAccessTokens() { fcm.accessTokens.revoke() }

    /// Listens on all four ports.
    @discardableResult
    public func start() throws(SimulatorFault) -> SimulatorPorts {
        guard configuration.key != nil || configuration.isLoopback else {
            throw SimulatorFault(
                "SIMULATOR_KEY: is required when SIMULATOR_BIND is reachable from other machines")
        }
        let tokens = ProviderTokenRules(credentials)
        let production = try apns("production", tokens, 1)
        let sandbox = try apns("sandbox", tokens, 2)
        let google = try serve(3, streams: configuration.fcmStreams) { [fcm] in
            fcm.handle($0, $1)
        }
        let (control, port) = try startControl()
        let ports = SimulatorPorts(
            control: port, apnsProduction: Int(production.port), apnsSandbox: Int(sandbox.port),
            fcm: Int(google.port))
        running.withLock {
            $0 = Running(ports: ports, control: control, doubles: [production, sandbox, google])
        }
        log.info("simulator listens", ["control": .count(port), "fcm": .count(ports.fcm)])
        return ports
    }

    /// Starts unless it runs already, and stops when the shutdown begins. Throws why it does not
    /// start.
    public func run(until shutdown: Shutdown) async throws {
        if ports == nil { try start() }
        await shutdown.wait()
        await stop()
    }

    /// Ends all connections and gives the ports back.
    public func stop() async {
        guard let running = running.withLock({ $0.take() }) else { return }
        for double in running.doubles { double.close() }
        await running.control.stop()
    }

    private func apns(
        _ environment: String, _ tokens: ProviderTokenRules, _ offset: Int
    ) throws(SimulatorFault) -> HTTP2Server {
        let double = APNsDouble(
            environment: environment, credentials, configuration, tokens: tokens, desk: desk)
        return try serve(offset, streams: 1) { double.handle($0, $1) }
    }

    private func serve(
        _ offset: Int, streams: UInt32, _ handler: @escaping HTTP2Server.Handler
    ) throws(SimulatorFault) -> HTTP2Server {
        var server = HTTP2ServerConfiguration()
        server.bind = configuration.bind
        server.port = configuration.port == 0 ? 0 : UInt16(configuration.port + offset)
        server.loops = configuration.loops
        server.maxConcurrentStreams = streams
        let identity = HTTP2Identity(
            certificate: credentials.serverCertificatePEM, key: credentials.serverKeyPEM)
        do {
            return try HTTP2Server(server, identity: identity, handler: handler)
        } catch {
            throw SimulatorFault(error.description)
        }
    }

    private func startControl() throws(SimulatorFault) -> (HTTPServer, Int) {
        var server = HTTPServerConfiguration(
            bind: .tcp(host: configuration.bind, port: configuration.port))
        server.threads = 1
        let api = ControlAPI(inbox, script, key: configuration.key)
        let control = HTTPServer(
            name: "simulator", configuration: server, log: log, metrics: metrics
        ) { await api.handle($0) }
        do {
            return (control, try control.start() ?? configuration.port)
        } catch {
            throw SimulatorFault("\(error)")
        }
    }
}
