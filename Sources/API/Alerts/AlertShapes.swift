import Alerts
import JSON
import Storage
import Values

/// How an alert is explained: its event, every member's decision, and every push.
enum AlertShapes {
    static let alert = Shape.named(
        "Alert",
        .object([
            .required("id", .uuid), .required("kind", .nullable(.text)),
            .required(
                "event",
                .object([
                    .required("id", .text), .required("type", .text),
                    .required("occurred_at", .time), .required("received_at", .time),
                ])),
            .required(
                "subject",
                .map(keys: TextRule(length: 1...100), values: .text, count: 0...100)),
            .required("decided_at", .nullable(.time)), .required("unheard", .bool),
            .required("members", .list(of: member)),
        ]))

    static let user = Shape.object([
        .required("id", .uuid), .required("name", .nullable(.text)),
    ])

    static let decision = Shape.oneOf(["notified", "not_notified"])

    static let request = Shape.object([
        .required("provider", .text), .required("method", .text), .required("path", .text),
        .required(
            "headers", .map(keys: TextRule(length: 1...100), values: .text, count: 0...100)),
        .required("body", .text),
    ])

    private static let member = Shape.object([
        .required("user", user), .required("decision", decision), .required("reason", .text),
        .required("filter", .nullable(.text)), .required("devices", .list(of: device)),
    ])

    private static let device = Shape.object([
        .required("device_id", .uuid), .required("platform", .nullable(.text)),
        .required("state", .nullable(.oneOf(DeliveryState.allCases.map(\.rawValue)))),
        .required("reason", .nullable(.text)),
        .required(
            "attempts",
            .list(
                of: .object([
                    .required("at", .text), .required("status", .nullable(.integer)),
                    .required("reason", .nullable(.text)),
                    .required("provider_message_id", .nullable(.text)),
                ]))),
        .required("next_attempt_at", .nullable(.time)),
    ])

    /// Writes the members of an object that tell of one person; the object stays open.
    static func begin(
        _ decision: MemberDecision, _ names: [UserID: String], to writer: inout JSONWriter
    ) {
        writer.key("user")
        writer.beginObject()
        writer.member("id", decision.user.description)
        writer.member("name", orNull: names[decision.user])
        writer.endObject()
        writer.member("decision", decision.verdict.isYes ? "notified" : "not_notified")
        writer.member("reason", decision.verdict.reason.rawValue)
        writer.member("filter", orNull: decision.filter)
    }

    static func write(
        _ record: AlertRecord, _ names: [UserID: String], _ states: [PushID: PushState],
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("id", record.id.description)
        writer.member(
            "kind", orNull: record.kind ?? EventType.named(record.eventType)?.alert?.name)
        writer.key("event")
        writer.beginObject()
        writer.member("id", record.externalID)
        writer.member("type", record.eventType)
        writer.member("occurred_at", record.occurredAt.rfc3339)
        writer.member("received_at", record.receivedAt.rfc3339)
        writer.endObject()
        let subject = record.alert.map { $0.subject.travelling(with: $0.kind) }
        writer.member("subject", .object(subject ?? JSONObject()))
        writer.member("decided_at", orNull: record.decidedAt?.rfc3339)
        writer.member("unheard", record.isUnheard)
        writer.key("members")
        writer.beginArray()
        for decision in record.decisions {
            writer.beginObject()
            begin(decision, names, to: &writer)
            writer.key("devices")
            writer.beginArray()
            for device in decision.devices {
                write(device, device.push.flatMap { states[$0] }, to: &writer)
            }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    /// - Parameter state: nil for a device that got no push, and for one whose outcome is no longer
    ///   kept.
    private static func write(
        _ device: DeviceDecision, _ state: PushState?, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.member("device_id", device.device.description)
        writer.member("platform", orNull: device.transport?.platform)
        writer.member("state", orNull: state?.state.rawValue)
        let reason = device.verdict.isYes ? state?.reason : device.verdict.reason.rawValue
        writer.member("reason", orNull: reason)
        writer.key("attempts")
        writer.beginArray()
        for attempt in state?.attempts ?? [] {
            writer.beginObject()
            writer.member("at", attempt.at)
            writer.key("status")
            if let status = attempt.status { writer.integer(status) } else { writer.null() }
            writer.member("reason", orNull: attempt.reason)
            writer.member("provider_message_id", orNull: attempt.providerMessageID)
            writer.endObject()
        }
        writer.endArray()
        writer.member("next_attempt_at", orNull: state?.nextAttemptAt?.rfc3339)
        writer.endObject()
    }
}

extension Transport {
    /// The platform of the phones that it reaches, as devices are registered.
    var platform: String? {
        switch self {
        case .apns: "ios"
        case .fcm: "android"
        default: nil
        }
    }
}
