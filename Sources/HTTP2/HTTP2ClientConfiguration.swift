/// The server that a client speaks to.
public struct HTTP2Origin: Sendable, Hashable {
    /// The name in `:authority`, in SNI, and in the server's certificate; an IP address may stand
    /// for it and is then what the certificate must carry.
    public var host: String
    /// Stands in `authority` unless it is 443.
    public var port: UInt16
    /// Where to connect instead of the host's own addresses.
    public var address: String?

    public init(host: String, port: UInt16 = 443, address: String? = nil) {
        self.host = host
        self.port = port
        self.address = address
    }

    /// `host`, or `host:port` when the port is not 443; an IPv6 address stands in brackets.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? name : "\(name):\(port)"
    }
}

/// Whose signature on the server's certificate is believed.
public enum HTTP2Trust: Sendable, Hashable {
    /// The system's store.
    case system
    /// The PEM certificates in this file, and no others.
    case file(String)
}

/// How a client treats its connections.
public struct HTTP2ClientConfiguration: Sendable {
    public var trust = HTTP2Trust.system
    /// At most this many connections at once; another opens when all are full.
    public var connections = 1
    /// At most this many streams on one connection, whatever the peer allows.
    public var streamsPerConnection = 1000
    /// A new connection carries one request at a time until one was answered 2xx, as APNs wants it.
    public var firstRequestAlone = false
    /// For names, TCP, TLS and the peer's first SETTINGS together.
    public var connectTimeout = Duration.seconds(10)
    /// A connection on which nothing came for this long is asked by PING.
    public var pingAfterIdle = Duration.seconds(60)
    /// A connection that leaves a PING unanswered for this long is dead.
    public var pingTimeout = Duration.seconds(10)
    /// The wait after the first connection that ended without an answer; it doubles up to the cap
    /// and is scaled by a random factor between 0.5 and 1.
    public var reconnectBase = Duration.milliseconds(100)
    /// What the doubling stops at, before it is scaled.
    public var reconnectCap = Duration.seconds(10)
    /// Names and values of a response's fields together, in bytes.
    public var responseHeaderLimit = 16 << 10
    /// In bytes.
    public var responseBodyLimit = 1 << 20

    public init() {}
}
