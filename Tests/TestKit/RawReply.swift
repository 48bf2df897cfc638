/// One HTTP/1.1 answer as it stood on the wire.
public struct RawReply: Sendable, Equatable {
    public let status: Int
    /// Names lower-cased; the last of two equal ones.
    public let headers: [String: String]
    public let body: [UInt8]

    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The whole answers that the bytes begin with, in order.
    ///
    /// - Parameter withoutBodies: the answers are to HEAD.
    public static func all(in bytes: [UInt8], withoutBodies: Bool = false) -> [RawReply] {
        var rest = bytes[...]
        var replies: [RawReply] = []
        while let reply = take(&rest, withoutBody: withoutBodies) { replies.append(reply) }
        return replies
    }

    private static func take(_ rest: inout ArraySlice<UInt8>, withoutBody: Bool) -> RawReply? {
        guard let end = index(of: Array("\r\n\r\n".utf8), in: rest) else { return nil }
        let lines = String(decoding: rest[..<end], as: UTF8.self).split(separator: "\r\n")
        let first = lines.first?.split(separator: " ") ?? []
        guard first.count >= 2, first[0].hasPrefix("HTTP/1."), let status = Int(first[1]) else {
            return nil
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers[line[..<colon].lowercased()] = String(value)
        }
        var body = rest[(end + 4)...]
        let hasNone = withoutBody || status == 204 || status == 304 || status < 200
        guard let content = hasNone ? [] : content(&body, headers) else { return nil }
        rest = body
        return RawReply(status: status, headers: headers, body: content)
    }

    private static func content(
        _ rest: inout ArraySlice<UInt8>, _ headers: [String: String]
    ) -> [UInt8]? {
        if headers["transfer-encoding"] == "chunked" { return chunks(&rest) }
        let length = headers["content-length"].flatMap { Int($0) } ?? rest.count
        guard rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return Array(rest.prefix(length))
    }

    private static func chunks(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        var content: [UInt8] = []
        while let line = index(of: Array("\r\n".utf8), in: rest) {
            guard let size = Int(String(decoding: rest[..<line], as: UTF8.self), radix: 16),
                rest.endIndex >= line + 2 + size + 2
            else { return nil }
            content += rest[(line + 2)..<(line + 2 + size)]
            rest = rest[(line + 2 + size + 2)...]
            if size == 0 { return content }
        }
        return nil
    }

    private static func index(of needle: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= needle.count else { return nil }
        return (bytes.startIndex...(bytes.endIndex - needle.count)).first {
            bytes[$0..<($0 + needle.count)].elementsEqual(needle)
        }
    }
}
