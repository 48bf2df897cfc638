/// How a server listens and what it allows.
public struct HTTP2ServerConfiguration: Sendable {
    /// An IP address.
    public var bind = "127.0.0.1"
    /// 0 takes any free port.
    public var port: UInt16 = 0
    /// Threads; a connection stays with one.
    public var loops = 1
    /// The first MAX_CONCURRENT_STREAMS that a connection is told.
    public var maxConcurrentStreams: UInt32 = 1000
    /// Names and values of a request's fields together, in bytes.
    public var requestHeaderLimit = 64 << 10
    /// In bytes; a longer one is answered 413 without the handler.
    public var requestBodyLimit = 1 << 20
    /// False leaves out ALPN, so that clients can be tried against such a peer.
    public var offersHTTP2 = true

    public init() {}
}

/// Why a server does not start, in words for the operator.
public struct HTTP2ServerFault: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String
}
