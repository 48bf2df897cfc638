import Alerts
import JSON
import Jobs
import Storage
import Values

/// How a job that was given up looks to an operator: ids and reasons, never what it would have
/// said.
enum DeadLetterShapes {
    private static let fields: [Field] = [
        .required("id", .uuid), .required("kind", .text), .required("store_id", .nullable(.uuid)),
        .required("alert_id", .nullable(.uuid)), .required("user_id", .nullable(.uuid)),
        .required("device_id", .nullable(.uuid)), .required("reason", .text),
        .required("attempts", .integer), .required("died_at", .time),
        .required("stale", .bool),
    ]

    static let line = Shape.named("DeadLetter", .object(fields))

    static let whole = Shape.named(
        "DeadLetterDetail",
        .object(
            fields + [
                .required("fate", .oneOf(AssessedLetter.Fate.allCases.map(\.rawValue))),
                .required("lane", .nullable(.text)), .required("losses", .integer),
                .required("raised_at", .time), .required("expires_at", .nullable(.time)),
                .required("advice", .nullable(.text)), .required("tries", .anything),
            ]))

    static let count = Shape.named(
        "DeadLetterCount",
        .object([
            .required("kind", .text), .required("reason", .text), .required("count", .integer),
            .required("advice", .nullable(.text)),
        ]))

    static func write(
        _ letter: DeadLetter, now: Timestamp, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writeMembers(of: letter, now: now, to: &writer)
        writer.endObject()
    }

    static func writeMembers(
        of letter: DeadLetter, now: Timestamp, to writer: inout JSONWriter
    ) {
        writer.member("id", letter.id.description)
        writer.member("kind", letter.kind)
        // A job that plain SQL added may belong to no store.
        writer.member(
            "store_id", orNull: letter.store == Audit.noStore ? nil : letter.store.description)
        writer.member("alert_id", orNull: letter.subject?.description)
        writer.member("user_id", orNull: letter.member?.description)
        writer.member("device_id", orNull: letter.target?.description)
        writer.member("reason", letter.reason)
        writer.member("attempts", letter.attempts)
        writer.member("died_at", letter.buriedAt.rfc3339)
        writer.member("stale", letter.isStale(at: now))
    }
}

extension DeadLetter {
    /// Whether a retry would find it past its time.
    func isStale(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }

    /// Where it stands in the list, which goes by its number.
    var cursor: Cursor<UUID> {
        Cursor(time: buriedAt, id: UUID(high: 0, low: UInt64(bitPattern: number)))
    }
}
