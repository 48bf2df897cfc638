import JSON
import Storage
import Values

/// How sessions look.
enum SessionShapes {
    static let session = Shape.named(
        "Session",
        .object([
            .required("id", .uuid), .required("device_name", .nullable(.text)),
            .required("created_at", .time), .required("last_used_at", .time),
            .required("expires_at", .time), .required("current", .bool),
            .required("devices", .list(of: DeviceShapes.device)),
        ]))

    static let signedIn = Shape.named(
        "SignedIn",
        .object([
            .required("access_token", .text), .required("token_type", .oneOf(["Bearer"])),
            .required("expires_in", .integer), .required("refresh_token", .text),
            .required("session", session),
        ]))

    static let password = Shape.text(1...1024)
    /// A password that is set anew. Its upper bound is in bytes, which the handler sees to.
    static let newPassword = Shape.text(10...1024)
    static let token = Shape.text(1...500)
    static let deviceName = Shape.nullable(.text(0...100))

    static func write(_ line: SessionLine, current: Bool, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", line.id.description)
        writer.member("device_name", orNull: line.deviceName)
        writer.member("created_at", line.createdAt.rfc3339)
        writer.member("last_used_at", line.lastUsedAt.rfc3339)
        writer.member("expires_at", line.expiresAt.rfc3339)
        writer.key("current")
        writer.bool(current)
        writer.key("devices")
        writer.beginArray()
        for device in line.devices {
            DeviceShapes.write(device, current: current, to: &writer)
        }
        writer.endArray()
        writer.endObject()
    }

    /// The answer of signing in and of refreshing.
    static func answer(_ tokens: TokenPair, _ session: SessionLine, _ lives: SessionLives) -> Answer
    {
        Answer.json(200) { writer in
            writer.beginObject()
            writer.member("access_token", tokens.access.reveal())
            writer.member("token_type", "Bearer")
            writer.key("expires_in")
            writer.integer(lives.access.components.seconds)
            writer.member("refresh_token", tokens.refresh.reveal())
            writer.key("session")
            write(session, current: true, to: &writer)
            writer.endObject()
        }.once
    }
}
