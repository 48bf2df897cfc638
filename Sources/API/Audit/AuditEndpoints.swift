import Alerts
import JSON
import Storage
import Values

/// What was done with authority.
enum AuditEndpoints {
    static let endpoints = [list]

    static let entry = Shape.named(
        "AuditEntry",
        .object([
            .required("id", .uuid), .required("at", .time), .required("actor", .text),
            .required("store_id", .uuid), .required("act", .text), .required("subject", .text),
            .required("before", .anything), .required("after", .anything),
        ]))

    private static let list = Endpoint(
        .get, "/v1/stores/{store}/audit", "The store's privileged acts, newest first.",
        access: Access(.member(with: .storeManage)), isPaged: true,
        responses: [.page(of: entry, "Acts.")]
    ) { call, _, transaction in
        let page = try call.page
        let rows = try Audit.list(
            call.path.id("store"), page: page.ofRows, in: transaction)
        return page.answer(rows, cursor: { Cursor(time: $0.at, id: $0.id) }, write: write)
    }

    static func write(_ entry: AuditEntry, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", entry.id.description)
        writer.member("at", entry.at.rfc3339)
        writer.member("actor", entry.actor)
        writer.member("store_id", entry.store.description)
        writer.member("act", entry.act)
        writer.member("subject", entry.subject)
        writer.member("before", entry.before ?? .null)
        writer.member("after", entry.after ?? .null)
        writer.endObject()
    }
}
