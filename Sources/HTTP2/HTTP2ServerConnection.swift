public import Runtime

/// A hand on one connection of a server. Everything may be done from any thread; on a connection
/// that is gone nothing happens.
public final class HTTP2ServerConnection: @unchecked Sendable {
    // @unchecked: `connection` is touched on the loop's thread only.

    /// Counted from 1 within the server.
    public let number: UInt64
    /// For the handler's own use: whatever it wants to remember of the connection.
    public let memory = Lock<(any Sendable)?>(nil)

    private let owner: ServerLoop
    private var connection: ServerConnection?

    init(_ number: UInt64, _ owner: ServerLoop) {
        self.number = number
        self.owner = owner
    }

    /// Says that no more streams are taken (RFC 9113 section 6.8).
    ///
    /// - Parameters:
    ///   - lastStream: the last that is processed, later ones are forgotten without an answer; nil
    ///     gives the first half of a graceful end only: no stream is named.
    ///   - words: debug data; APNs puts a JSON text there.
    public func goaway(lastStream: Int32?, code: UInt32 = 0, words: [UInt8] = []) {
        act { $0.goaway(lastStream, code, words) }
    }

    /// Tells the client how many streams it may have open (SETTINGS).
    public func setMaxConcurrentStreams(_ count: UInt32) {
        act { $0.setMaxConcurrentStreams(count) }
    }

    /// Resets the next `count` requests as not processed, nil all; 0 stops it.
    public func refuseStreams(_ count: Int?) { act { $0.refuseStreams(count) } }

    /// Neither reads nor writes any more, but keeps the connection: what a lost route looks like.
    public func freeze() { act { $0.freeze() } }

    /// Goes on where `freeze` stopped.
    public func thaw() { act { $0.thaw() } }

    /// Ends TLS and TCP without a GOAWAY.
    public func close() { act { $0.close() } }

    func attach(_ connection: ServerConnection) { self.connection = connection }
    func detach() { connection = nil }

    func act(_ action: @escaping @Sendable (ServerConnection) -> Void) {
        if owner.loop.isCurrent {
            if let connection { action(connection) }
        } else {
            owner.loop.post { [self] in
                if let connection { action(connection) }
            }
        }
    }

    func act(after delay: Duration, _ action: @escaping @Sendable (ServerConnection) -> Void) {
        act { [self] _ in
            owner.loop.at(owner.loop.now + delay) { [self] in act(action) }
        }
    }
}

/// Answers one request, once, from any thread. What comes after the stream's end is dropped.
public struct HTTP2Responder: Sendable {
    private let connection: HTTP2ServerConnection
    private let stream: Int32

    init(_ connection: HTTP2ServerConnection, _ stream: Int32) {
        self.connection = connection
        self.stream = stream
    }

    /// Sends the response, at once or after a delay.
    public func respond(_ response: HTTP2Response, after delay: Duration = .zero) {
        if delay > .zero {
            connection.act(after: delay) { [stream] in $0.respond(stream, response) }
        } else {
            connection.act { [stream] in $0.respond(stream, response) }
        }
    }

    /// Resets the stream with an error code (RFC 9113 section 7).
    public func reset(_ code: UInt32) {
        connection.act { [stream] in $0.reset(stream, code) }
    }
}
