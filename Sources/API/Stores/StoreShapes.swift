import Alerts
import JSON
import Storage
import Values

/// How stores look.
enum StoreShapes {
    /// What a store says of itself, whoever asks.
    static let own: [Field] = [
        .required("id", .uuid), .required("name", .text), .required("time_zone", .text),
        .required("locale", .text), .required("currency", .text),
        .required("low_stock_threshold", .integer),
    ]

    static let store = Shape.named(
        "Store",
        .object(
            own + [
                .required("role", .oneOf(Role.allCases.map(\.rawValue))),
                .required("permissions", .list(of: .text)),
            ]))

    static let name = GivenText.storeName.shape
    static let timeZone = Shape.text(1...100)
    static let locale = Shape.text(1...100)
    static let currency = Shape.text(.currency)

    /// The store and what the caller is in it.
    static func write(
        _ store: StoreLine, _ membership: Caller.Membership, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writeMembers(of: store, to: &writer)
        writer.member("role", membership.role.rawValue)
        writer.key("permissions")
        Permissions.write(membership.permissions, to: &writer)
        writer.endObject()
    }

    static func writeMembers(of store: StoreLine, to writer: inout JSONWriter) {
        writer.member("id", store.id.description)
        writer.member("name", store.name)
        writer.member("time_zone", store.timeZone)
        writer.member("locale", store.locale)
        writer.member("currency", store.currency)
        writer.member("low_stock_threshold", store.lowStockThreshold)
    }
}

/// Permissions as they are listed: in the order of their declaration.
enum Permissions {
    static let shape = Shape.list(
        of: .oneOf(open: Permission.all.map(\.rawValue)), count: 0...Permission.all.count * 2)

    static func write(_ permissions: Set<Permission>, to writer: inout JSONWriter) {
        writer.beginArray()
        for permission in Permission.all where permissions.contains(permission) {
            writer.string(permission.rawValue)
        }
        writer.endArray()
    }

    /// What a body grants, each once; nil when it says nothing.
    static func read(_ body: Body, _ name: String) throws(Problem) -> [Permission]? {
        guard let texts = try body.optionalTexts(name) else { return nil }
        return Permission.all.filter { texts.contains($0.rawValue) }
    }

    static func json(_ permissions: [Permission]) -> JSONValue {
        .array(permissions.map { .text($0.rawValue) })
    }
}
