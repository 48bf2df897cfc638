import Storage
import Values

/// What was done with authority, in all stores and beside them.
enum OpsAuditEndpoint {
    static let endpoints = [list]

    private static let list = Endpoint(
        .get, "/v1/ops/audit",
        "Privileged acts of all stores, newest first. Acts without a store carry the nil UUID.",
        access: Access(.operators), isPaged: true,
        responses: [.page(of: AuditEndpoints.entry, "Acts.")]
    ) { call, _, transaction in
        let page = try call.page
        let rows = try Audit.listAll(page: page.ofRows, in: transaction)
        return page.answer(
            rows, cursor: { Cursor(time: $0.at, id: $0.id) }, write: AuditEndpoints.write)
    }
}
