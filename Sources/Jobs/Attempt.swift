import JSON
public import Values

/// One attempt as it travels with the job into its end: `{"at","status","reason"}`, and
/// `"retry_after"` of the one whose wait outlives the job.
public struct Attempt: Sendable, Equatable {
    /// When its end was heard, in the database's time.
    public let at: Timestamp
    /// Of the answer; nil when none came.
    public let status: Int?
    /// The answer's own word, or ours when none came; nil for success.
    public let reason: String?
    /// Seconds that the answer asked to wait, when the job ended of that; else nil.
    public let retryAfter: Int64?

    public init(at: Timestamp, status: Int?, reason: String?, retryAfter: Int64? = nil) {
        self.at = at
        self.status = status
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// Nil for what was not written by `encoded`.
    private init?(_ value: JSONValue) {
        guard let at = value["at"]?.text.flatMap({ Timestamp(rfc3339: $0) }) else { return nil }
        self.init(
            at: at, status: value["status"]?.integer.map { Int($0) }, reason: value["reason"]?.text,
            retryAfter: value["retry_after"]?.integer)
    }

    /// The last `count` of a job's `tries`, in their order. Those before were of an earlier life,
    /// which ended in the dead letter.
    package static func last(_ count: Int, of tries: [UInt8]) -> [Attempt] {
        guard count > 0, let all = try? JSONValue.parse(tries).array else { return [] }
        return all.suffix(count).compactMap { Attempt($0) }
    }

    /// As JSON, with the members in this order; what has no value is null, `retry_after` left out.
    public var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("at")
        writer.string(at.rfc3339)
        writer.key("status")
        if let status { writer.integer(Int64(status)) } else { writer.null() }
        writer.key("reason")
        if let reason { writer.string(reason) } else { writer.null() }
        if let retryAfter {
            writer.key("retry_after")
            writer.integer(retryAfter)
        }
        writer.endObject()
        return writer.bytes
    }
}
