import Alerts
import JSON
import Push
import Storage
import Values

/// Events of which nothing was stored, with what would have become of them.
struct DryRunAnswer: Sendable {
    static let line = Shape.named(
        "DryRun",
        .object([
            .required("id", .text), .required("status", .oneOf(["accepted", "duplicate"])),
            .required("alert_id", .nullable(.uuid)), .optional("reason", .text),
            .required("kind", .nullable(.text)), .required("members", .list(of: member)),
        ]))

    private static let member = Shape.object([
        .required("user", AlertShapes.user), .required("decision", AlertShapes.decision),
        .required("reason", .text), .required("filter", .nullable(.text)),
        .required(
            "devices",
            .list(
                of: .object([
                    .required("device_id", .uuid), .required("platform", .nullable(.text)),
                    .required("reason", .text),
                    .required("request", .nullable(AlertShapes.request)),
                ]))),
    ])

    let parts: Parts
    let now: Timestamp
    /// The names of members, for a caller who may see them.
    let names: [UserID: String]

    func write(_ line: DryRunLine, to writer: inout JSONWriter) throws {
        writer.beginObject()
        writer.member("id", line.result.externalID)
        writer.member("status", line.result.isDuplicate ? "duplicate" : "accepted")
        writer.member("alert_id", orNull: line.result.alert?.description)
        if let reason = line.result.reason { writer.member("reason", reason) }
        writer.member("kind", orNull: line.raised?.alert.kind.name)
        writer.key("members")
        writer.beginArray()
        if let raised = line.raised {
            for decision in raised.decisions { try write(decision, raised, to: &writer) }
        }
        writer.endArray()
        writer.endObject()
    }

    private func write(
        _ decision: MemberDecision, _ raised: DryRunLine.Raised, to writer: inout JSONWriter
    ) throws {
        writer.beginObject()
        AlertShapes.begin(decision, names, to: &writer)
        writer.key("devices")
        writer.beginArray()
        for device in decision.devices {
            writer.beginObject()
            writer.member("device_id", device.device.description)
            writer.member("platform", orNull: device.transport?.platform)
            writer.member("reason", device.verdict.reason.rawValue)
            writer.key("request")
            if device.verdict.isYes,
                let request = try request(to: device.device, of: decision.user, raised)
            {
                request.write(to: &writer)
            } else {
                writer.null()
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    private func request(
        to id: DeviceID, of user: UserID, _ raised: DryRunLine.Raised
    ) throws -> ProviderRequest? {
        let facts = raised.facts
        guard let device = facts.devices[id] else { return nil }
        let push = try OutgoingPush(
            PushID(.v7()), of: raised.alert, facts.store,
            locales: [device.locale, facts.userLocales[user]], templates: facts.templates,
            badge: raised.badges.badge(of: user), parts.wording)
        return ProviderRequest(push, to: device, providers: parts.providers, now: now)
    }
}

/// A request to a provider as it would go out, without its credential; the device's token stands as
/// the 8 digits by which it is named everywhere.
struct ProviderRequest: Sendable {
    let provider: String
    let path: String
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    /// Nil for a route without a sender.
    init?(
        _ push: OutgoingPush, to device: DryRunFacts.Device, providers: PushProviders,
        now: Timestamp
    ) {
        let route = PushRoute(device.route)
        let token = device.tokenMark
        if let sender = providers.apns(route) {
            let payload = APNsPayload(push, bundleID: sender.credentials.bundleID)
            provider = "apns"
            path = APNsPayload.path(token: token)
            headers = payload.headers.map { ($0.name, $0.value) }
            body = payload.body
        } else if let sender = providers.fcm(route) {
            provider = "fcm"
            path = FCMPayload.path(project: sender.credentials.project)
            headers = [("content-type", "application/json")]
            body = FCMPayload(push, token: token, now: now).body
        } else {
            return nil
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("provider", provider)
        writer.member("method", "POST")
        writer.member("path", path)
        writer.key("headers")
        writer.beginObject()
        for header in headers { writer.member(header.name, header.value) }
        writer.endObject()
        writer.member("body", String(decoding: body, as: UTF8.self))
        writer.endObject()
    }
}
