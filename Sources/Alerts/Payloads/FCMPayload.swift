import JSON
public import Values

/// A push as FCM HTTP v1 takes it.
///
/// https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages
public struct FCMPayload: Sendable, Equatable {
    /// The JSON object `{"message": …}`.
    public let body: [UInt8]
    /// What FCM counts: the keys and values of `data`, `notification` and `android.notification`.
    public let countedBytes: Int
    /// The texts that had to be cut, and as they stand.
    public let cut: [PushPart]
    /// The texts as they stand in the body, cut ones with `…`; nil for what is not there or not
    /// shown.
    public let title: String?
    /// The body of the notification.
    public let text: String?

    /// - Parameter now: from when the time to live counts
    public init(_ push: OutgoingPush, token: String, now: Timestamp) {
        let data = push.data
        var parts = push.parts
        // Android has no subtitle.
        parts.subtitle = nil
        let limit = push.kind.envelope.android.limit
        let full = Self.count(push, parts, data)
        cut = parts.save(full - limit) { $0.utf8.count }
        countedBytes = cut.isEmpty ? full : Self.count(push, parts, data)
        body = Self.body(push, parts, data, token: token, now: now)
        let isVisible = push.kind.envelope.visibility == .visible
        title = isVisible ? parts.title : nil
        text = isVisible ? parts.body : nil
    }

    /// The path of a request that sends through a Firebase project.
    public static func path(project: String) -> String { "/v1/projects/\(project)/messages:send" }

    private static func count(
        _ push: OutgoingPush, _ parts: PushParts, _ data: [(key: String, value: String)]
    ) -> Int {
        let count = data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard push.kind.envelope.visibility == .visible else { return count }
        let body = parts.body.map { "body".utf8.count + $0.utf8.count } ?? 0
        return count + "title".utf8.count + parts.title.utf8.count + body + androidCount(push)
    }

    /// What `android.notification` adds: a message that is right without it and too large with it
    /// is refused, and the alert lost.
    private static func androidCount(_ push: OutgoingPush) -> Int {
        let texts = [
            ("channel_id", push.kind.channel), ("tag", push.collapseKey),
            ("sound", push.kind.envelope.sound),
        ]
        let count = texts.reduce(0) { sum, member in
            sum + (member.1.map { member.0.utf8.count + $0.utf8.count } ?? 0)
        }
        guard let badge = push.badge, badge > 0 else { return count }
        return count + "notification_count".utf8.count + "\(badge)".utf8.count
    }

    private static func body(
        _ push: OutgoingPush, _ parts: PushParts, _ data: [(key: String, value: String)],
        token: String, now: Timestamp
    ) -> [UInt8] {
        let isVisible = push.kind.envelope.visibility == .visible
        var writer = JSONWriter(reserving: 896)
        writer.beginObject()
        writer.key("message")
        writer.beginObject()
        writer.member("token", token)
        if isVisible {
            writer.key("notification")
            writer.beginObject()
            writer.member("title", parts.title)
            writer.member("body", ifPresent: parts.body)
            writer.endObject()
        }
        writer.key("data")
        writer.beginObject()
        for (key, value) in data { writer.member(key, value) }
        writer.endObject()
        write(android: push, isVisible, ttl: timeToLive(until: push.wireExpiry, now: now), &writer)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private static func write(
        android push: OutgoingPush, _ isVisible: Bool, ttl: String, _ writer: inout JSONWriter
    ) {
        let collapseKey = push.collapseKey
        writer.key("android")
        writer.beginObject()
        writer.member("priority", push.kind.envelope.android.priority)
        writer.member("ttl", ttl)
        writer.member("collapse_key", ifPresent: collapseKey)
        if isVisible {
            writer.key("notification")
            writer.beginObject()
            writer.member("channel_id", ifPresent: push.kind.channel)
            writer.member("tag", ifPresent: collapseKey)
            // 0 would mean "count up by one".
            if let badge = push.badge, badge > 0 { writer.member("notification_count", badge) }
            writer.member("sound", ifPresent: push.kind.envelope.sound)
            writer.endObject()
        }
        writer.endObject()
    }

    /// What is left, rounded up to whole seconds, within the four weeks that FCM takes.
    private static func timeToLive(until expiry: Timestamp, now: Timestamp) -> String {
        let left = (expiry - now).microseconds
        let seconds = left <= 0 ? 0 : (left + 999_999) / 1_000_000
        return "\(min(seconds, 2_419_200))s"
    }
}
