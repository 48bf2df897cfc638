/// What stands before a request's body.
public struct HTTPRequestHead: Sendable {
    /// As it came: methods are case-sensitive (RFC 9110 section 9.1).
    public let method: String
    /// The path as it came, not percent-decoded; it begins with `/`, or is `*`.
    public let path: String
    /// What stands behind the `?`, not decoded; empty when there is none.
    public let query: String
    public let headers: HTTPHeaders
    /// The numeric address of the peer of the socket; empty on a Unix socket.
    public let remoteAddress: String
    /// The body's length when the head names one.
    public let contentLength: Int?

    public init(
        method: String, path: String, query: String = "", headers: HTTPHeaders = [:],
        remoteAddress: String = "", contentLength: Int? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.remoteAddress = remoteAddress
        self.contentLength = contentLength
    }
}

/// A whole request.
public struct HTTPRequest: Sendable {
    public let head: HTTPRequestHead
    public let body: [UInt8]

    public init(head: HTTPRequestHead, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }

    public var method: String { head.method }
    public var path: String { head.path }
    public var query: String { head.query }
    public var headers: HTTPHeaders { head.headers }
    public var remoteAddress: String { head.remoteAddress }
}

/// What is to be done with a request of which only the head is there.
public enum HTTPVerdict: Sendable {
    /// Read its body, at most so many bytes of it.
    case read(bodyLimit: Int)
    /// Answer this now, without the body, and close.
    case refuse(HTTPResponse)
}
