public import HTTP2
public import JSON
public import Values

/// A provider that is doubled.
public enum SimulatedProvider: String, Sendable, CaseIterable {
    case apns
    case fcm
    /// Google's token endpoint; it can be scripted, but what it gets is counted, not kept.
    case token
}

/// One request as it arrived, and what it was answered.
public struct InboxEntry: Sendable, Equatable {
    /// What went back.
    public struct Answer: Sendable, Equatable {
        /// The HTTP status.
        public let status: Int
        /// The provider's word; nil for success.
        public let reason: String?
    }

    /// Counted from 1 since the start or the last emptying.
    public var number: Int
    /// When it arrived, by the doubles' clock.
    public let at: Timestamp
    public let provider: SimulatedProvider
    /// `production` or `sandbox`; FCM has one only, `production`.
    public let environment: String
    public let method: String
    public let path: String
    /// As they came, pseudo-headers apart.
    public let headers: [HTTP2Header]
    /// As it came.
    public let body: [UInt8]
    /// The target, as far as one was named.
    public let token: String?
    /// The server's connection that it came over, counted per port.
    public let connection: UInt64
    /// Nil when the connection was made to fail before the answer.
    public let answered: Answer?

    /// Answered 200.
    public var isAccepted: Bool { answered?.status == 200 }
}

extension InboxEntry {
    /// A field's value; names are lower case.
    public func header(_ name: String) -> String? { headers[name] }

    /// The body's JSON; nil when it has none.
    public var json: JSONValue? { try? JSONValue.parse(body) }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("number", number)
        writer.member("at", at.rfc3339)
        writer.member("provider", provider.rawValue)
        writer.member("environment", environment)
        writer.member("connection", connection)
        writer.member("method", method)
        writer.member("path", path)
        writer.member("token", token.map { .text($0) } ?? .null)
        writer.key("headers")
        writeHeaders(to: &writer)
        writer.key("body")
        if let json {
            writer.value(json)
        } else {
            writer.string(String(decoding: body, as: UTF8.self))
        }
        writer.key("answered")
        if let answered {
            writer.beginObject()
            writer.member("status", answered.status)
            writer.member("reason", answered.reason.map { .text($0) } ?? .null)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.endObject()
    }

    /// An object; a repeated field has an array of its values.
    private func writeHeaders(to writer: inout JSONWriter) {
        writer.beginObject()
        var written: Set<String> = []
        for header in headers where written.insert(header.name).inserted {
            let values = headers.filter { $0.name == header.name }.map { JSONValue.text($0.value) }
            writer.member(header.name, values.count == 1 ? values[0] : .array(values))
        }
        writer.endObject()
    }
}
