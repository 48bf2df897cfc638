import Alerts
import JSON
import Postgres
import Runtime
import Storage
import TestKit
import Testing
import Values

@Suite("sineta.emit")
struct EmitTests {
    /// Bodies that the HTTP way takes and refuses.
    static let corpus: [(type: String, id: String, data: String)] = {
        let order = #""order_id":"0199b7e2-0000-7000-8000-000000000001","number":"1042""#
        let total = #""total":{"amount":"1234.56","currency":"BRL"}"#
        let conversation = #""conversation_id":"0199B7E2-0000-7000-8000-000000000001""#
        return [
            ("orders.paid", "ok", "{\(order),\(total)}"),
            ("orders.paid", "ok", "{\(order),\(total),\"customer_name\":null,\"more\":1}"),
            ("orders.paid", "", "{\(order),\(total)}"),
            ("orders.paid", String(repeating: "é", count: 101), "{\(order),\(total)}"),
            ("orders.sold", "x", "{}"),
            ("orders.paid", "x", "[]"),
            ("orders.paid", "x", "{}"),
            ("orders.paid", "x", "{\(order)}"),
            ("orders.paid", "x", "{\(order),\"total\":{\"amount\":\"1,0\",\"currency\":\"BRL\"}}"),
            ("orders.paid", "x", "{\(order),\"total\":{\"amount\":1,\"currency\":\"BRL\"}}"),
            ("orders.paid", "x", "{\(order),\"total\":{\"amount\":\"1\",\"currency\":\"brl\"}}"),
            ("orders.paid", "x", "{\(order),\"total\":7}"),
            ("orders.paid", "x", "{\(order),\(total),\"channel\":\"phone\"}"),
            (
                "orders.paid", "x",
                "{\"order_id\":\"0199b7e2-0000-7000-8000-000000000001\",\"number\":null,\(total)}"
            ),
            (
                "orders.paid", "x",
                "{\"order_id\":\"no\",\"number\":\"\",\(total)}"
            ),
            ("conversations.read", "ok", "{\(conversation)}"),
            ("conversations.read", "ok", "{\(conversation),\"read_at\":\"2026-02-28T10:00:00Z\"}"),
            ("conversations.read", "x", "{\(conversation),\"read_at\":\"2026-02-30T10:00:00Z\"}"),
            ("conversations.read", "x", "{\(conversation),\"read_at\":\"today\"}"),
            ("conversations.bot_changed", "x", "{\(conversation),\"bot_enabled\":\"yes\"}"),
            ("conversations.assigned", "ok", "{\(conversation),\"assignee_id\":null}"),
            ("conversations.assigned", "x", "{\(conversation)}"),
            (
                "conversations.message_received", "x",
                "{\(conversation),\"message\":{\"id\":\"\",\"kind\":\"text\"}}"
            ),
            (
                "conversations.message_received", "x",
                "{\(conversation),\"message\":{\"id\":\"m\",\"kind\":\"smoke\"}}"
            ),
        ]
    }()

    private func asMerchant(
        _ body: (World, Shop, PostgresPool) async throws -> Void
    ) async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let role = "merchant_\(UUID.random().description.prefix(8))"
            try await world.database.run("create role \(role) login", as: .superuser)
            try await world.database.run(
                "select sineta.admit_emitter('\(role)', '\(shop.id)')", as: .owner)
            let pool = PostgresPool(
                try world.database.configuration(.superuser).with(user: role), name: "merchant",
                size: 2, log: .silent, metrics: nil)
            do {
                try await body(world, shop, pool)
            } catch {
                await pool.close()
                throw error
            }
            await pool.close()
            try await world.database.run("drop owned by \(role); drop role \(role)")
        }
    }

    private func emit(
        _ pool: PostgresPool, _ store: StoreID, _ type: String, _ id: String, _ data: String
    ) async throws(PostgresError) {
        _ = try await pool.query(
            "select sineta.emit($1, $2, $3, $4)", .id(store), .text(type), .text(id),
            .json(Array(data.utf8)), deadline: World.deadline)
    }

    @Test("both ways take and refuse the same events, with the same first fault")
    func differential() async throws {
        try await asMerchant { world, shop, pool in
            for item in Self.corpus {
                var expected: String?
                do {
                    let data = try JSONValue.parse(Array(item.data.utf8))
                    _ = try Event.read([
                        "id": .text(item.id), "type": .text(item.type), "data": data,
                    ])
                } catch let faults as FieldFaults {
                    expected = "\(faults.faults[0].pointer) \(faults.faults[0].code.rawValue)"
                }
                var found: String?
                do throws(PostgresError) {
                    try await emit(pool, shop.id, item.type, item.id, item.data)
                } catch {
                    #expect(error.sqlState == "22023")
                    let detail = try JSONValue.parse(Array((error.report?.detail ?? "").utf8))
                    found =
                        "\(detail["pointer"]?.text ?? "") \(detail["code"]?.text ?? "")"
                }
                #expect(found == expected, "\(item)")
            }
        }
    }

    @Test("one row is added, which reads as the event, and only when the transaction commits")
    func row() async throws {
        try await asMerchant { world, shop, pool in
            try await emit(pool, shop.id, "orders.paid", "e1", Self.corpus[0].data)
            struct Undone: Error {}
            await #expect(throws: Undone.self) {
                try await pool.transaction(deadline: World.deadline) { tx in
                    _ = try tx.query(
                        "select sineta.emit($1, 'orders.paid', 'e2', $2)", .id(shop.id),
                        .json(Array(Self.corpus[0].data.utf8)))
                    throw Undone()
                }
            }
            let jobs = try await world.rows(
                "select kind, lane, args, wake_at <= now() from sineta.jobs")
            #expect(jobs.count == 1)
            #expect(try jobs[0].text(0) == JobKinds.apply)
            #expect(try jobs[0].int(1) == 0)
            #expect(try jobs[0].bool(3))
            let event = try Event.read(JSONValue.parse(jobs[0].json(2)))
            #expect(event.id == "e1" && event.type == .ordersPaid)
        }
    }

    @Test("a role raises events only for the stores that it was admitted to")
    func authority() async throws {
        try await asMerchant { world, _, pool in
            let other = try await world.shop()
            do throws(PostgresError) {
                try await emit(pool, other.id, "orders.paid", "e", Self.corpus[0].data)
                Issue.record("it was let in")
            } catch {
                #expect(error.sqlState == "42501")
            }
        }
    }
}
