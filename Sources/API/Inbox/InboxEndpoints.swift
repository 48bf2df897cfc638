import Alerts
import JSON
import Postgres
import Storage
import Values

/// The alerts of the caller: what a phone that lost a push still finds.
enum InboxEndpoints {
    static func endpoints(_ parts: Parts) -> [Endpoint] { [list(parts.wording), read] }

    static let line = Shape.named(
        "InboxLine",
        .object([
            .required("id", .uuid), .required("store_id", .uuid), .required("kind", .text),
            .required("title", .text), .required("body", .nullable(.text)),
            .required(
                "subject",
                .map(keys: TextRule(length: 1...100), values: .text, count: 0...100)),
            .required("occurred_at", .time), .required("read_at", .nullable(.time)),
        ]))

    private static func list(_ wording: Wording) -> Endpoint {
        Endpoint(
            .get, "/v1/me/alerts", "The caller's alerts, the newest first, in their language.",
            access: Access(.person),
            query: [.uuid("store_id", "Only those of this store.")], isPaged: true,
            responses: [.page(of: line, "Alerts.")], codes: [.notFound]
        ) { call, caller, transaction in
            guard let person = caller.person else { throw Problem(.sessionRequired) }
            let page = try call.page
            let asked = page.of(EventSubject.self)
            let lines = try Inbox.list(
                stores(of: person, asked: call.query.id("store_id")), of: person.id,
                after: asked.after?.id, limit: asked.limit, in: transaction)
            return try page.answer(
                lines, cursor: { Cursor(time: $0.alert.occurredAt, id: $0.alert.id.uuid) }
            ) { line, writer in
                try write(line, for: person, wording, to: &writer)
            }
        }
    }

    private static let read = Endpoint(
        .post, "/v1/me/alerts/read", "Marks an alert and all older ones as read.",
        access: Access(.person),
        body: .object(.optional("store_id", .nullable(.uuid)), .required("up_to", .uuid)),
        responses: [Response(204, "They are read.")], codes: [.notFound]
    ) { call, caller, transaction in
        guard let person = caller.person else { throw Problem(.sessionRequired) }
        let store = try call.body.optionalText("store_id").flatMap { StoreID($0) }
        guard let alert = AlertID(try call.body.text("up_to")) else { throw Problem(.notFound) }
        let stores = try stores(of: person, asked: store)
        // An alert to come must not be read before it is there, so the mark has to be one that is.
        guard try Inbox.holds(alert, of: person.id, in: stores, in: transaction) else {
            throw Problem(.notFound)
        }
        try Inbox.markRead(stores, of: person.id, upTo: alert, in: transaction)
        return .noContent
    }

    /// - Throws: 404 for a store that is not the caller's.
    private static func stores(
        of person: Caller.Person, asked: StoreID?
    ) throws(Problem) -> [StoreID] {
        guard let asked else { return person.memberships.map(\.store) }
        guard person.membership(in: asked) != nil else { throw Problem(.notFound) }
        return [asked]
    }

    /// Written at reading time: somebody who changes language reads their old alerts in the new
    /// one.
    private static func write(
        _ line: InboxLine, for person: Caller.Person, _ wording: Wording,
        to writer: inout JSONWriter
    ) throws {
        let alert = line.alert
        let locale = wording.catalogue.locale(for: [person.locale, line.store.locale])
        let text = try wording.text(
            of: alert.kind, alert.content, in: locale,
            replacement: line.templates[locale.language]?.template)
        writer.beginObject()
        writer.member("id", alert.id.description)
        writer.member("store_id", alert.store.description)
        writer.member("kind", alert.kind.name)
        writer.member("title", text.title)
        writer.member("body", orNull: text.body)
        writer.member("subject", .object(alert.subject.travelling(with: alert.kind)))
        writer.member("occurred_at", alert.occurredAt.rfc3339)
        writer.member("read_at", orNull: line.readAt?.rfc3339)
        writer.endObject()
    }
}
