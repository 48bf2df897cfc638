/// Why a request has no answer; each case says whether the peer may have acted on it.
public enum HTTP2Failure: Error, Sendable, Equatable {
    /// The peer has not processed it: to send it again is safe.
    case notSent(HTTP2Reason)
    /// It was sent, at least in part, and no whole answer came: the peer may have acted on it.
    case unknown(HTTP2Reason)
    /// The deadline passed. With `wasSent` false the peer has not processed it.
    case timeout(wasSent: Bool)
    /// The time by which its stream had to open passed: it was not sent, and nothing is known of
    /// the peer.
    case notStarted
    /// The deadline passed while no connection could be made; the words say what the last try met.
    case connect(String)

    /// Whether the peer may have processed the request.
    public var mayHaveArrived: Bool {
        switch self {
        case .notSent, .notStarted, .connect: false
        case .unknown: true
        case .timeout(let wasSent): wasSent
        }
    }
}

/// What ended a request before its answer.
public enum HTTP2Reason: Sendable, Equatable {
    /// The client was closed.
    case closed
    /// The connection ended; the words are TLS's, the system's or our own.
    case connectionLost(String)
    /// The peer reset the stream with this code (RFC 9113 section 7).
    case reset(UInt32)
    /// The response's header or body is over its limit.
    case responseTooLarge
    /// nghttp2 would not take the request; the words are its own.
    case invalidRequest(String)
}

extension HTTP2Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notSent(let reason): "not sent: \(reason)"
        case .unknown(let reason): "sent, no answer: \(reason)"
        case .timeout(true): "no answer in time"
        case .timeout(false): "not sent in time"
        case .notStarted: "not started in time"
        case .connect(let words): "cannot connect: \(words)"
        }
    }
}

extension HTTP2Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .closed: "the client is closed"
        case .connectionLost(let words): "the connection was lost: \(words)"
        case .reset(let code): "the stream was reset with code \(code)"
        case .responseTooLarge: "the response is over its limit"
        case .invalidRequest(let words): "the request is not valid: \(words)"
        }
    }
}
