import Alerts
import JSON
import Storage
import Values

/// How events go in and what comes of them.
enum EventShapes {
    static let line = Shape.named(
        "EventLine",
        .object([
            .required("id", .text), .required("event_id", .uuid),
            .required("status", .oneOf(["accepted", "duplicate"])),
            .required("alert_id", .nullable(.uuid)), .optional("reason", .text),
        ]))

    static let refused = Shape.object([
        .required("id", .nullable(.text)), .required("status", .oneOf(["refused"])),
        .required(
            "errors",
            .list(
                of: .object([
                    .required("pointer", .text), .required("code", .text),
                    .required("message", .text),
                ]))),
    ])

    static func write(_ result: IngestResult, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", result.externalID)
        writer.member("event_id", result.id.description)
        writer.member("status", result.isDuplicate ? "duplicate" : "accepted")
        writer.member("alert_id", orNull: result.alert?.description)
        if let reason = result.reason { writer.member("reason", reason) }
        writer.endObject()
    }

    static func write(_ id: String?, _ faults: FieldFaults, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", orNull: id)
        writer.member("status", "refused")
        writer.key("errors")
        writer.beginArray()
        for fault in faults.faults {
            writer.beginObject()
            writer.member("pointer", fault.pointer)
            writer.member("code", fault.code.rawValue)
            writer.member("message", fault.message)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
