import JSON
import Values

/// A push as APNs takes it.
///
/// https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification
public struct APNsPayload: Sendable, Equatable {
    /// In the order of the wire, without `authorization`, which the sender puts first.
    public let headers: [Header]
    /// The JSON object, within the envelope's limit.
    public let body: [UInt8]
    /// The texts that had to be cut, and as they stand.
    public let cut: [PushPart]
    /// The texts as they stand in the body, cut ones with `…`; nil for what is not there or not
    /// shown.
    public let title: String?
    /// The store's name, where the kind names it.
    public let subtitle: String?
    /// The body of the alert.
    public let text: String?

    /// One request header, its name in lower case.
    public struct Header: Sendable, Equatable {
        public let name: String
        public let value: String
    }

    /// - Parameter bundleID: the app's, to which the envelope's topic suffix is added
    public init(_ push: OutgoingPush, bundleID: String) {
        var parts = push.parts
        var body = Self.body(push, parts)
        cut = parts.save(body.count - push.kind.envelope.apns.limit) { JSONText.encodedLength($0) }
        if !cut.isEmpty { body = Self.body(push, parts) }
        self.body = body
        let isVisible = push.kind.envelope.visibility == .visible
        title = isVisible ? parts.title : nil
        subtitle = isVisible ? parts.subtitle : nil
        text = isVisible ? parts.body : nil
        headers = Self.headers(push, bundleID)
    }

    /// The path of a request for a device token in hexadecimal, in either case.
    public static func path(token: String) -> String { "/3/device/\(token.lowercased())" }

    private static func headers(_ push: OutgoingPush, _ bundleID: String) -> [Header] {
        let carrier = push.kind.envelope.apns
        var headers = [
            Header(name: "apns-topic", value: bundleID + carrier.topicSuffix),
            Header(name: "apns-push-type", value: carrier.pushType),
            Header(name: "apns-priority", value: String(carrier.priority)),
            Header(name: "apns-expiration", value: String(max(0, push.wireExpiry.seconds))),
            Header(name: "apns-id", value: push.id.description),
        ]
        if let key = push.collapseKey {
            headers.append(Header(name: "apns-collapse-id", value: key))
        }
        return headers
    }

    private static func body(_ push: OutgoingPush, _ parts: PushParts) -> [UInt8] {
        var writer = JSONWriter(reserving: 640)
        writer.beginObject()
        writer.key("aps")
        writer.beginObject()
        if push.kind.envelope.visibility == .visible {
            writer.key("alert")
            writer.beginObject()
            writer.member("title", parts.title)
            writer.member("subtitle", ifPresent: parts.subtitle)
            writer.member("body", ifPresent: parts.body)
            writer.endObject()
            writer.member("sound", ifPresent: push.kind.envelope.sound)
            // 0 is written: it clears the icon.
            if let badge = push.badge { writer.member("badge", badge) }
            writer.member("thread-id", ifPresent: push.threadID)
        } else {
            writer.member("content-available", 1)
        }
        writer.endObject()
        for (key, value) in push.data { writer.member(key, value) }
        writer.endObject()
        return writer.bytes
    }
}
