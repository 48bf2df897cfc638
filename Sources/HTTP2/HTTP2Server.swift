import Runtime

/// A request as a server got it.
public struct HTTP2ServerRequest: Sendable {
    public let method: String
    /// Path and query as they were sent, nothing decoded.
    public let path: String
    /// `:authority`; empty when the client sent none.
    public let authority: String
    /// In the order of arrival, repeated ones too, without pseudo-headers.
    public let headers: [HTTP2Header]
    /// Whole, and at most `requestBodyLimit` bytes.
    public let body: [UInt8]
    /// The stream's number on its connection.
    public let stream: Int32
    /// What it came over, for doing to its client what providers do.
    public let connection: HTTP2ServerConnection
}

/// The server half: TLS, a handler per request, and a hand on each connection for doing to clients
/// what providers do to them.
public final class HTTP2Server: Sendable {
    /// Called on the connection's thread, which it must not block. The responder may be used there,
    /// or later from any thread.
    public typealias Handler = @Sendable (HTTP2ServerRequest, HTTP2Responder) -> Void

    /// The port that it listens on.
    public let port: UInt16
    private let loops: [ServerLoop]

    /// Starts to listen.
    ///
    /// - Parameter onConnection: called on its thread when a connection is made, before its first
    ///   request and before it is told any SETTINGS but the first.
    public init(
        _ configuration: HTTP2ServerConfiguration = .init(), identity: HTTP2Identity,
        onConnection: @escaping @Sendable (HTTP2ServerConnection) -> Void = { _ in },
        handler: @escaping Handler
    ) throws(HTTP2ServerFault) {
        let listener: (descriptor: Int32, port: UInt16)
        let context: TLSContext
        do throws(TLSFault) {
            context = try TLSContext(identity, offersHTTP2: configuration.offersHTTP2)
            let addresses = try SocketAddress.resolve(
                configuration.bind, configuration.port, numeric: true)
            guard let address = addresses.first else { throw TLSFault(words: "no address") }
            listener = try address.listen()
        } catch {
            let place = "\(configuration.bind):\(configuration.port)"
            throw HTTP2ServerFault(description: "\(place): \(error.words)")
        }
        port = listener.port
        let shared = ServerShared(
            configuration, context, onConnection: onConnection, handler: handler)
        loops = (0..<max(1, configuration.loops)).map { _ in ServerLoop(shared) }
        for loop in loops { loop.loop.start("http2-server") }
        loops[0].listen(listener.descriptor, spreadOver: loops)
    }

    deinit { close() }

    /// The connections that are open now.
    public var connections: [HTTP2ServerConnection] {
        loops[0].shared.connections.withLock { Array($0.values) }
    }

    /// Stops listening and ends all connections.
    public func close() {
        for loop in loops { loop.close() }
    }
}

/// What the loops of a server have in common.
final class ServerShared: Sendable {
    let configuration: HTTP2ServerConfiguration
    let context: TLSContext
    let onConnection: @Sendable (HTTP2ServerConnection) -> Void
    let handler: HTTP2Server.Handler
    let connections = Lock<[UInt64: HTTP2ServerConnection]>([:])
    private let lastNumber = Lock<UInt64>(0)

    init(
        _ configuration: HTTP2ServerConfiguration, _ context: TLSContext,
        onConnection: @escaping @Sendable (HTTP2ServerConnection) -> Void,
        handler: @escaping HTTP2Server.Handler
    ) {
        self.configuration = configuration
        self.context = context
        self.onConnection = onConnection
        self.handler = handler
    }

    func nextNumber() -> UInt64 {
        lastNumber.withLock { last in
            last += 1
            return last
        }
    }
}
