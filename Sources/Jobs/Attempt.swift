import JSON
public import Values

/// One attempt as it travels with the job into its end: `{"at","status","reason"}`.
public enum Attempt {
    /// - Parameters:
    ///   - status: of the answer; nil when none came.
    ///   - reason: the answer's own word, or ours when none came; nil for success.
    public static func encoded(at time: Timestamp, status: Int?, reason: String?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("at")
        writer.string(time.rfc3339)
        writer.key("status")
        if let status { writer.integer(Int64(status)) } else { writer.null() }
        writer.key("reason")
        if let reason { writer.string(reason) } else { writer.null() }
        writer.endObject()
        return writer.bytes
    }
}
