import JSON
import Storage
import Values

/// How devices look: never the token.
enum DeviceShapes {
    static let device = Shape.named(
        "Device",
        .object([
            .required("id", .uuid), .required("platform", .text),
            .required("app_version", .nullable(.text)),
            .required("device_name", .nullable(.text)), .required("locale", .nullable(.text)),
            .required("environment", .text), .required("current", .bool),
            .required("active", .bool), .required("registered_at", .time),
            .required("last_registered_at", .time),
            .required("last_accepted_at", .nullable(.time)),
            .required("last_error", .nullable(.text)),
        ]))

    static let removed = Shape.named(
        "RemovedDevice",
        .object([
            .required("id", .uuid), .required("platform", .text),
            .required("device_name", .nullable(.text)), .required("removed_at", .time),
            .required("reason", .text), .required("provider_reason", .nullable(.text)),
        ]))

    static func write(_ line: DeviceLine, current: Bool, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", line.id.description)
        writer.member("platform", line.platform)
        writer.member("app_version", orNull: line.appVersion)
        writer.member("device_name", orNull: line.deviceName)
        writer.member("locale", orNull: line.locale)
        writer.member("environment", line.environment)
        writer.member("current", current)
        writer.member("active", line.isActive)
        writer.member("registered_at", line.registeredAt.rfc3339)
        writer.member("last_registered_at", line.lastRegisteredAt.rfc3339)
        writer.member("last_accepted_at", orNull: line.lastAcceptedAt?.rfc3339)
        writer.member("last_error", orNull: line.lastError)
        writer.endObject()
    }

    static func write(_ line: RemovedDevice, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", line.id.description)
        writer.member("platform", line.platform)
        writer.member("device_name", orNull: line.deviceName)
        writer.member("removed_at", line.removedAt.rfc3339)
        writer.member("reason", line.reason)
        writer.member("provider_reason", orNull: line.providerReason)
        writer.endObject()
    }
}
