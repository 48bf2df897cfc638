/// One field of a request or response.
public struct HTTP2Header: Sendable, Hashable {
    /// Lower case, as HTTP/2 demands (RFC 9113 section 8.2.1).
    public let name: String
    public let value: String
    /// Travels as "never indexed": for secrets, and for values that differ on every request and
    /// would only push useful ones out of the compression table.
    public let isSensitive: Bool

    /// Takes the name as it is: making it lower case is the caller's care.
    public init(_ name: String, _ value: String, isSensitive: Bool = false) {
        self.name = name
        self.value = value
        self.isSensitive = isSensitive
    }

    public init(name: String, value: String, isSensitive: Bool = false) {
        self.init(name, value, isSensitive: isSensitive)
    }
}

extension [HTTP2Header] {
    /// The value of the first field with this (lower-case) name.
    public subscript(name: String) -> String? {
        first { $0.name == name }?.value
    }
}

/// A request with its whole body.
public struct HTTP2Request: Sendable, Equatable {
    public var method: String
    /// Path and query. It is sent never indexed, as APNs asks.
    public var path: String
    /// `host[:port]`; nil takes the origin's.
    public var authority: String?
    /// Without pseudo-headers.
    public var headers: [HTTP2Header]
    /// Empty for none.
    public var body: [UInt8]

    public init(
        method: String = "POST", path: String, authority: String? = nil,
        headers: [HTTP2Header] = [], body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.authority = authority
        self.headers = headers
        self.body = body
    }
}

/// A response with its whole body.
public struct HTTP2Response: Sendable, Equatable {
    public var status: Int
    /// In the order of arrival, names in lower case, without pseudo-headers; trailers at the end.
    public var headers: [HTTP2Header]
    /// Empty for none; bounded by the client's `responseBodyLimit`.
    public var body: [UInt8]
    /// The client's connection that it came over, counted from 1; 0 for a response that is not one
    /// of a client.
    public var connection: UInt64

    public init(
        status: Int, headers: [HTTP2Header] = [], body: [UInt8] = [], connection: UInt64 = 0
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.connection = connection
    }
}
