import CMicrohttpd

/// Why a head is not answered by a handler: one bare status, and the connection ends.
enum HeadFault: Error, Equatable {
    case malformed
    case targetTooLong
    case headTooLarge

    var status: Int {
        switch self {
        case .malformed: 400
        case .targetTooLong: 414
        case .headTooLarge: 431
        }
    }

    var reason: String {
        switch self {
        case .malformed: "malformed"
        case .targetTooLong: "target_too_long"
        case .headTooLarge: "head_too_large"
        }
    }
}

/// Reads a head strictly: what two parsers could understand in two ways is refused (RFC 9112
/// sections 3.2, 5.1 and 6.3), since libmicrohttpd is lenient about it.
struct HeadReader {
    let target: String
    let method: String
    let isVersion10: Bool
    let remoteAddress: String
    let targetLimit: Int
    let headerLimit: Int

    func read(_ connection: OpaquePointer) throws(HeadFault) -> HTTPRequestHead {
        guard target.utf8.count <= targetLimit else { throw .targetTooLong }
        var lines = HeaderLines()
        withUnsafeMutablePointer(to: &lines) { pointer in
            _ = MHD_get_connection_values_n(connection, .HEADER_KIND, collectHeader, pointer)
        }
        guard lines.size <= headerLimit else { throw .headTooLarge }
        return try head(lines)
    }

    func head(_ lines: HeaderLines) throws(HeadFault) -> HTTPRequestHead {
        guard lines.areWellFormed, Self.isToken(method) else { throw .malformed }
        let (path, query) = try splitTarget()
        try checkHost(lines.headers)
        return HTTPRequestHead(
            method: method, path: path, query: query, headers: lines.headers,
            remoteAddress: remoteAddress, contentLength: try length(lines.headers))
    }

    private func checkHost(_ headers: HTTPHeaders) throws(HeadFault) {
        let hosts = headers.values("Host")
        guard hosts.count == 1 || (hosts.isEmpty && isVersion10) else { throw .malformed }
        // An authority has no blank, no comma and no path (RFC 9112 section 3.2).
        let foreign: [UInt8] = [0x20, 0x09, 0x2C, 0x2F, 0x3F, 0x23, 0x40, 0x5C]
        guard hosts.allSatisfy({ $0.utf8.allSatisfy { !foreign.contains($0) } }) else {
            throw .malformed
        }
    }

    /// The one Content-Length of nothing but digits; chunked as the only transfer coding, and never
    /// both.
    private func length(_ headers: HTTPHeaders) throws(HeadFault) -> Int? {
        let lengths = headers.values("Content-Length")
        let codings = headers.values("Transfer-Encoding")
        guard lengths.count + codings.count <= 1 else { throw .malformed }
        if let coding = codings.first {
            guard HTTPHeaders.same(coding, "chunked"), !isVersion10 else { throw .malformed }
        }
        guard let length = lengths.first else { return nil }
        guard !length.isEmpty, length.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let value = Int(length)
        else { throw .malformed }
        return value
    }

    /// The path and query of the target's origin form; of an absolute one the scheme and authority
    /// are left out.
    private func splitTarget() throws(HeadFault) -> (String, String) {
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .malformed }
        var rest = target[...]
        if !rest.hasPrefix("/") {
            if rest == "*", method == "OPTIONS" { return ("*", "") }
            guard let authority = Self.behindScheme(rest) else { throw .malformed }
            rest = authority.drop { $0 != "/" && $0 != "?" }
        }
        guard let mark = rest.firstIndex(of: "?") else {
            return (rest.isEmpty ? "/" : String(rest), "")
        }
        let path = rest[..<mark]
        return (path.isEmpty ? "/" : String(path), String(rest[rest.index(after: mark)...]))
    }

    private static func behindScheme(_ target: Substring) -> Substring? {
        for scheme in ["http://", "https://"]
        where HTTPHeaders.same(String(target.prefix(scheme.count)), scheme) {
            let authority = target.dropFirst(scheme.count)
            return authority.isEmpty || authority.hasPrefix("/") ? nil : authority
        }
        return nil
    }

    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(HeaderLines.isTokenByte)
    }
}

/// The header lines as libmicrohttpd hands them over.
struct HeaderLines {
    var headers = HTTPHeaders()
    var size = 0
    var areWellFormed = true

    mutating func add(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        // Two for ": " and two for the end of the line.
        size += name.count + value.count + 4
        if isFolded(name, value) {
            areWellFormed = areWellFormed && !Self.frames(name)
            return
        }
        areWellFormed =
            areWellFormed && !name.isEmpty && name.allSatisfy(Self.isTokenByte)
            && value.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        headers.add(String(decoding: name, as: UTF8.self), Self.trimmed(value))
    }

    /// Whether the line went on in the next one (RFC 9112 section 5.2). libmicrohttpd 0.9.75 then
    /// glues the second line to a copy of the *name*, so that `Content-Length: 4` with a fold is no
    /// length any more; the copy lies behind all values in its pool.
    private func isFolded(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
        guard let start = name.baseAddress, let text = value.baseAddress else { return false }
        return text < start + name.count
    }

    /// A folded field is left out, since neither its name nor its value is known; one that would
    /// say where the request ends, or whose it is, can not be.
    private static func frames(_ name: UnsafeRawBufferPointer) -> Bool {
        let lowered = String(decoding: name, as: UTF8.self).lowercased()
        return ["content-length", "transfer-encoding", "host", "connection", "expect"].contains {
            lowered.hasPrefix($0)
        }
    }

    private static func trimmed(_ value: UnsafeRawBufferPointer) -> String {
        let end = value.lastIndex { $0 != 0x20 && $0 != 0x09 } ?? -1
        return String(decoding: value[..<(end + 1)], as: UTF8.self)
    }

    /// RFC 9110 section 5.6.2.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"), UInt8(ascii: "#"),
            UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"),
            UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

private func collectHeader(
    _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
    _ nameSize: Int, _ value: UnsafePointer<CChar>?, _ valueSize: Int
) -> MHD_Result {
    guard let context else { return .NO }
    context.assumingMemoryBound(to: HeaderLines.self).pointee.add(
        name: UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameSize),
        value: UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize))
    return .YES
}
