/// A request over HTTP/2 or HTTP/1.1, whichever a TLS server takes; over HTTP/1.1 without TLS.
public struct WebRequest: Sendable {
    /// In capitals.
    public var method: String
    public var url: WebURL
    /// Names and values, sent in this order.
    public var headers: [(name: String, value: String)]
    /// nil sends none.
    public var body: [UInt8]?

    public init(
        method: String, url: WebURL, headers: [(name: String, value: String)] = [],
        body: [UInt8]? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// An answer, whatever its status.
public struct WebResponse: Sendable {
    /// The HTTP status; a redirect is not followed.
    public let status: Int
    /// As received, in order, with white space around values removed.
    public let headers: [(name: String, value: String)]
    /// Whole, within the client's limit; empty when there is none.
    public let body: [UInt8]

    public init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header of that name, in any case.
    public subscript(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }
}
