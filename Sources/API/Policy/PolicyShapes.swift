import Alerts
import JSON
import Storage
import Values

/// How a store's policy looks.
enum PolicyShapes {
    /// A required kind, who required it and when.
    static let lock = Shape.named(
        "RequiredKind",
        .object([
            .required("kind", .text),
            .required(
                "locked_by",
                .object([.required("id", .uuid), .required("name", .nullable(.text))])),
            .required("locked_at", .time),
        ]))

    static let policy = Shape.named(
        "PushPolicy",
        .object([
            .required("default_events", .list(of: .text)),
            .required("required_events", .list(of: lock)), .required("etag", .text),
        ]))

    static func write(_ lock: StoredPolicy.Lock, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("kind", lock.kind)
        writer.key("locked_by")
        writer.beginObject()
        writer.member("id", lock.user.description)
        writer.member("name", orNull: lock.name)
        writer.endObject()
        writer.member("locked_at", lock.at.rfc3339)
        writer.endObject()
    }
}

/// A policy as it is answered, with the version that it is of.
struct PolicyAnswer {
    private let stored: StoredPolicy

    init(_ stored: StoredPolicy) { self.stored = stored }

    /// Of the bytes that are answered but for the tag itself.
    var tag: String { EntityTag.of(bytes(with: nil)) }

    var answer: Answer {
        let tag = tag
        return Answer(status: 200, content: .json(bytes(with: tag))).with("ETag", tag)
    }

    private func bytes(with tag: String?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("default_events")
        writer.beginArray()
        for kind in AlertKind.listed where stored.policy.isOnByDefault(kind) {
            writer.string(kind.name)
        }
        writer.endArray()
        writer.key("required_events")
        writer.beginArray()
        for lock in stored.locks { PolicyShapes.write(lock, to: &writer) }
        writer.endArray()
        if let tag { writer.member("etag", tag) }
        writer.endObject()
        return writer.bytes
    }
}
