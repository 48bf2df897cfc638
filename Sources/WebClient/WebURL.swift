import CCurl

/// An absolute http or https address, read by the parser that will also connect, so that no
/// spelling of it means one host here and another there.
public struct WebURL: Sendable, Hashable {
    /// `https`, or `http` for a loopback host.
    public let scheme: String
    /// Lower case; an IPv6 address without brackets, an IPv4 address in four decimal parts.
    public let host: String
    /// The scheme's own where the address names none.
    public let port: Int
    /// Path and query, as they are sent.
    public let target: String

    /// Reads an address.
    ///
    /// - Throws: `WebFailure.notAllowed` for anything but https, or http to a loopback host, and
    ///   for an address with a user or password in it.
    public init(_ text: String) throws(WebFailure) {
        guard let url = curl_url() else { throw .notAllowed("it cannot be read") }
        defer { curl_url_cleanup(url) }
        guard curl_url_set(url, CURLUPART_URL, text, UInt32(CURLU_DISALLOW_USER)) == CURLUE_OK,
            let scheme = Self.part(url, CURLUPART_SCHEME),
            let host = Self.part(url, CURLUPART_HOST)?.lowercased(), !host.isEmpty,
            let port = Self.part(url, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap({
                Int($0)
            })
        else { throw .notAllowed("it is not an address like https://host/path") }
        self.scheme = scheme.lowercased()
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.port = port
        let query = Self.part(url, CURLUPART_QUERY).map { "?\($0)" } ?? ""
        target = (Self.part(url, CURLUPART_PATH) ?? "/") + query
        guard self.scheme == "https" || (self.scheme == "http" && isLoopback) else {
            throw .notAllowed("it must begin with https://")
        }
    }

    /// Whether the host is this machine by its own name or address.
    public var isLoopback: Bool {
        host == "localhost" || host == "::1" || (host.hasPrefix("127.") && isIPv4)
    }

    private var isIPv4: Bool { host.utf8.allSatisfy { $0 == 46 || (48...57).contains($0) } }

    var text: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(scheme)://\(host):\(port)\(target)"
    }

    private static func part(
        _ url: OpaquePointer, _ part: CURLUPart, _ flags: UInt32 = 0
    ) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(url, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}

extension WebURL: CustomStringConvertible {
    /// Without the query, which may carry a secret.
    public var description: String {
        String(text.prefix { $0 != "?" })
    }
}
