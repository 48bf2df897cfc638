import Alerts
import JSON
import Postgres
import Storage
import Values

@testable import API

/// Endpoints that exist for the tests of what all endpoints have in common.
enum Toys {
    static func endpoints(_ services: Services) -> [Endpoint] {
        [rename, look, note, secret, events, operators, list, open, broken]
    }

    /// Changes a store within a transaction.
    static let rename = Endpoint(
        .patch, "/v1/stores/{store}/toy", "Renames the store.",
        access: Access(.member(with: .storeManage)),
        body: .object(
            .required("name", .text(1...10)), .optional("level", .integer(1...3)),
            .optional("kind", .oneOf(["a", "b"])), .optional("mail", .text(.email)),
            .optional("tags", .list(of: .text(1...3), count: 0...2)),
            .forbidden("id")),
        responses: [Response(200, "Its name.", .object([.required("name", .text)]))]
    ) { call, _, transaction in
        let rows = try transaction.query(
            "update sineta.stores set name = $2 where id = $1 returning name",
            .id(try call.path.id("store", of: StoreSubject.self)),
            .text(try call.body.text("name")))
        guard let row = rows.first else { throw Problem(.notFound) }
        return .json(200, ["name": .text(try row.text(0))])
    }

    /// Versioned: the name is the state.
    static let look = Endpoint(
        .put, "/v1/stores/{store}/toy/name", "Sets the name.", access: Access(.member),
        body: .object(.required("name", .text(1...10))),
        responses: [Response(204, "Set.")], isVersioned: true
    ) { call, _, transaction in
        let store = try call.path.id("store", of: StoreSubject.self)
        let rows = try transaction.query(
            "select name from sineta.stores where id = $1 for update", .id(store))
        let current = try rows.first.map { EntityTag.of(Array(try $0.text(0).utf8)) }
        try call.requireMatch(current)
        let name = try call.body.text("name")
        _ = try transaction.query(
            "update sineta.stores set name = $2 where id = $1", .id(store), .text(name))
        return .noContent.with("ETag", EntityTag.of(Array(name.utf8)))
    }

    /// Creates work: a row of the audit log.
    static let note = Endpoint(
        .post, "/v1/stores/{store}/toy/notes", "Adds a note.", access: Access(.member),
        body: .object(.required("text", .text(1...100))),
        responses: [Response(201, "Its id.", .object([.required("id", .uuid)]))],
        isIdempotent: true
    ) { call, caller, transaction in
        .json(201, ["id": .text(try add(call, caller, transaction))])
    }

    static let secret = Endpoint(
        .post, "/v1/stores/{store}/toy/secrets", "Adds a note that is told once.",
        access: Access(.member), body: .object(.required("text", .text(1...100))),
        responses: [Response(201, "Its id.", .object([.required("id", .uuid)]))],
        isIdempotent: true
    ) { call, caller, transaction in
        Answer.json(201, ["id": .text(try add(call, caller, transaction))]).once
    }

    private static func add(
        _ call: Call, _ caller: Caller, _ transaction: PostgresTransaction
    ) throws -> String {
        let rows = try transaction.query(
            """
            insert into sineta.audit (store_id, actor, act, subject)
            values ($1, $2, 'toy', $3) returning id
            """, .id(try call.path.id("store", of: StoreSubject.self)),
            .text(caller.id.description), .text(try call.body.text("text")))
        guard let row = rows.first else { throw Problem(.conflict) }
        return try row.uuid(0).description
    }

    /// For a store's backend, and charged by the handler.
    static let events = Endpoint(
        .post, "/v1/stores/{store}/toy/events", "Takes events.", access: Access(.storeToken),
        body: .object(.required("events", .list(of: .anything, count: 1...500))),
        responses: [Response(202, "Taken.")], codes: [.rateLimited], rate: .unlimited
    ) { call, entrance in
        let store = try call.path.id("store", of: StoreSubject.self)
        try await entrance.enter { _, _ in }
        let count = try call.body.value["events"]?.array?.count ?? 1
        try call.charge(call.services.limits.events, to: store.uuid, cost: count)
        return Answer(status: 202, content: .none)
    }

    static let operators = Endpoint(
        .get, "/v1/ops/toy", "Counts stores.", access: Access(.operators),
        responses: [Response(200, "How many.", .object([.required("stores", .integer)]))]
    ) { _, _, transaction in
        let rows = try transaction.query("select count(id) from sineta.stores")
        return .json(200, ["stores": .integer(Int64(try rows.first?.int(0) ?? 0))])
    }

    /// A list of the audit log's rows.
    static let list = Endpoint(
        .get, "/v1/stores/{store}/toy/notes", "Lists notes.", access: Access(.member),
        query: [.uuid("not", "Leaves one out."), QueryParameter("loud", .bool, "In capitals.")],
        isPaged: true,
        responses: [.page(of: .object([.required("id", .uuid)]), "A page.")]
    ) { call, _, transaction in
        let page = try call.page.of(EventSubject.self)
        let rows = try transaction.query(
            """
            select at, id from sineta.audit
            where store_id = $1 and ($2::timestamptz is null or (at, id) > ($2, $3::uuid))
            order by at, id limit $4
            """, .id(try call.path.id("store", of: StoreSubject.self)),
            .optionalTimestamp(page.after?.time), .optionalUUID(page.after?.id.uuid),
            .int(page.limit))
        let found = try rows.map { (time: try $0.timestamp(0), id: try $0.uuid(1)) }
        return try call.page.answer(
            found, cursor: { Cursor(time: $0.time, id: $0.id) },
            write: { row, writer in
                writer.beginObject()
                writer.member("id", row.id.description)
                writer.endObject()
            })
    }

    static let open = Endpoint(
        .post, "/v1/toy/open", "For anyone.", access: .anyone,
        body: BodyShape(.object([.optional("name", .text(1...3))]), isOptional: true),
        responses: [Response(200, "Who asks.", .object([.required("address", .text)]))]
    ) { call in
        .json(200, ["address": .text(call.address)])
    }

    private struct Fault: Error {}

    static let broken = Endpoint(
        .get, "/v1/toy/broken", "Fails.", access: .anyone, responses: [Response(204, "Never.")]
    ) { _ in
        throw Fault()
    }
}
