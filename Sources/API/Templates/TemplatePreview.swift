import Alerts
import JSON
import Storage
import Values

/// Words as they would stand on both platforms.
struct TemplatePreview {
    static let shape = Shape.named(
        "TemplatePreview", .object([.required("apns", platform), .required("fcm", platform)]))

    private static let platform = Shape.object([
        .required("title", .nullable(.text)), .required("subtitle", .nullable(.text)),
        .required("body", .nullable(.text)), .required("bytes", .integer),
        .required("cut", .list(of: .oneOf(["title", "subtitle", "body"]))),
    ])

    private let apns: PushPreview
    private let fcm: PushPreview

    /// With an example in the place of an event.
    init(
        _ wording: Wording, _ kind: AlertKind, _ template: Alerts.Template,
        _ locale: WordingLocale, _ store: StoreLine, now: Timestamp
    ) throws {
        let text = try wording.text(of: kind, .sample, in: locale, replacement: template)
        let push = OutgoingPush(
            id: PushID(.v7()), kind: kind, alert: AlertID(.v7()), store: store.id,
            storeName: store.name,
            subject: AlertSubject(kind.subjectKeys.map { ($0, UUID.v7().description) }),
            text: text, badge: 1, occurredAt: now)
        (apns, fcm) = wording.preview(push, now: now)
    }

    var answer: Answer {
        .json(200) { writer in
            writer.beginObject()
            writer.key("apns")
            Self.write(apns, to: &writer)
            writer.key("fcm")
            Self.write(fcm, to: &writer)
            writer.endObject()
        }
    }

    private static func write(_ preview: PushPreview, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("title", orNull: preview.title)
        writer.member("subtitle", orNull: preview.subtitle)
        writer.member("body", orNull: preview.body)
        writer.member("bytes", preview.bytes)
        writer.key("cut")
        writer.beginArray()
        for part in preview.cut { writer.string(part.rawValue) }
        writer.endArray()
        writer.endObject()
    }
}
