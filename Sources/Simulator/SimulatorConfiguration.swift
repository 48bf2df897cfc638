import Runtime
public import Values

/// Where the doubles listen and how they behave.
public struct SimulatorConfiguration: Sendable {
    /// An IP address.
    public var bind = "127.0.0.1"
    /// Inbox and script; the next three are APNs production, APNs sandbox, FCM with its token
    /// endpoint. 0 takes four free ones.
    public var port = 8090
    /// The bearer of the control port; required off loopback, since the inbox holds tokens and
    /// texts.
    public var key: Secret<String>?
    /// Keeps counts only, for load runs.
    public var discards = false
    /// At most so many requests are kept; the oldest go first.
    public var inboxLimit = 100_000
    /// What APNs grants a connection once it has seen a valid JWT.
    public var apnsStreams: UInt32 = 1000
    /// What FCM grants a connection.
    public var fcmStreams: UInt32 = 100
    /// How long an access token is good, in seconds, as Google says it.
    public var accessTokenSeconds: Int64 = 3599
    /// Threads for each of the three provider ports.
    public var loops = 1
    /// The doubles' own time.
    public var clock: @Sendable () -> Timestamp = { .now() }

    /// The defaults of `sineta simulate`.
    public init() {}

    /// All ports free ones, for tests.
    public static var anywhere: SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        configuration.port = 0
        return configuration
    }

    /// An address under which a process of this machine finds it.
    var reachableHost: String { NetworkAddress.reachable(bind) }

    var isLoopback: Bool { NetworkAddress.isLoopback(bind) }
}

/// Where a simulator listens.
public struct SimulatorPorts: Sendable, Equatable {
    /// The inbox and the script, over HTTP/1.1.
    public let control: Int
    /// The three providers speak HTTP/2 over TLS; FCM's port has the token endpoint too.
    public let apnsProduction: Int
    public let apnsSandbox: Int
    public let fcm: Int

    public init(control: Int, apnsProduction: Int, apnsSandbox: Int, fcm: Int) {
        self.control = control
        self.apnsProduction = apnsProduction
        self.apnsSandbox = apnsSandbox
        self.fcm = fcm
    }

    /// The four that begin at this one.
    public init(from port: Int) {
        self.init(
            control: port, apnsProduction: port + 1, apnsSandbox: port + 2, fcm: port + 3)
    }
}

/// Why the simulator does not start, in one line for the operator.
public struct SimulatorFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong; names no key.
    public let description: String

    init(_ description: String) { self.description = description }
}
