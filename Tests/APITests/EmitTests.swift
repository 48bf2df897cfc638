import Alerts
import Dispatch
import JSON
import Postgres
import Runtime
import Storage
import TestKit
import Testing
import Values

@testable import API

@Suite("Events raised inside the merchant's own transaction")
struct EmitTests {
    static let events: [JSONValue] = [
        TestEvents.order("created"), TestEvents.order("paid", at: "2026-01-02T10:00:00Z"),
        TestEvents.order("cancelled", customer: "Zoë \"Zé\" 🧵"), TestEvents.stock(3),
        TestEvents.stock(9), TestEvents.message("Olá,\ntudo bem? {x}"),
        TestEvents.event(
            "conversations.read", ["conversation_id": .text(TestEvents.conversation)]),
        TestEvents.event(
            "conversations.assigned",
            ["conversation_id": .text(TestEvents.conversation), "assignee_id": nil]),
    ]

    @Test("end as those that came over HTTP: the same rows, reasons, alerts and texts")
    func differential() async throws {
        var found: [[String]] = []
        for isHTTP in [true, false] {
            try await TestAPI.run { api in
                try await api.working {
                    for event in Self.events {
                        if isHTTP { try await api.post(event) } else { try await api.emit(event) }
                        // One after the other, as their order decides what they raise.
                        try await api.settle()
                    }
                }
                found.append(try await api.texts(Self.kept))
            }
        }
        #expect(found[0].count > Self.events.count)
        #expect(found[0] == found[1])
    }

    @Test("a transaction that stays open delays nobody, and its event comes with its commit")
    func open() async throws {
        try await TestAPI.run { api in
            let merchant = try await api.merchant()
            let entered = Shutdown()
            let leave = DispatchSemaphore(value: 0)
            try await api.working {
                async let late: Void = merchant.transaction(deadline: .after(.seconds(60))) { tx in
                    // Also when it fails, since the test waits for it.
                    defer { entered.begin() }
                    _ = try tx.query(
                        "select sineta.emit($1, 'orders.created', 'late', $2)",
                        .id(TestAPI.north), .json(try Self.data(Self.events[0])))
                    entered.begin()
                    _ = leave.wait(timeout: .now() + 30)
                }
                await entered.wait()
                // The same store goes on both ways while the other transaction is open.
                try await api.post(TestEvents.order("paid"))
                try await api.emit(TestEvents.order("cancelled"))
                try await api.settle()
                #expect(try await api.count("select count(*) from sineta.alerts") == 2)
                leave.signal()
                try await late
                try await api.settle()
                #expect(try await api.count("select count(*) from sineta.alerts") == 3)
            }
            await merchant.close()
        }
    }

    /// Everything that is kept but ids and times of ours.
    private static let kept: StaticSQL = """
        select 'event ' || external_id || ' ' || type || ' ' || coalesce(reason, '-')
          from sineta.events
        union all
        select 'alert ' || kind || ' ' || external_id || ' ' || subject || ' ' || content
          || ' ' || is_unheard from sineta.alerts
        union all
        select 'order ' || number || ' ' || status || ' ' || amount || ' ' || customer_name
          || ' ' || (created_at is null) || ' ' || coalesce(paid_at::text, '-') from sineta.orders
        union all
        select 'stock ' || quantity || ' ' || variant_name from sineta.stock
        union all
        select 'conversation ' || status || ' ' || unread || ' ' || last_message_text
          || ' ' || (assignee_id is null) from sineta.conversations
        order by 1
        """

    fileprivate static func data(_ event: JSONValue) throws -> [UInt8] {
        try #require(event["data"]).encoded
    }
}

extension TestAPI {
    /// A pool of a database role that may raise events for `north`.
    fileprivate func merchant() async throws -> PostgresPool {
        let role = "merchant_\(UUID.random().description.prefix(8))"
        try await database.run("create role \(role) login", as: .superuser)
        try await database.run(
            "select sineta.admit_emitter('\(role)', '\(Self.north)')", as: .owner)
        return PostgresPool(
            try database.configuration(.superuser).with(user: role), name: "merchant", size: 1,
            log: .silent)
    }

    fileprivate func emit(_ event: JSONValue) async throws {
        let merchant = try await merchant()
        let time = event["occurred_at"]?.text.flatMap { Timestamp(rfc3339: $0) }
        let data = try EmitTests.data(event)
        do throws(PostgresError) {
            _ = try await merchant.query(
                "select sineta.emit($1, $2, $3, $4, $5)", .id(Self.north),
                .text(event["type"]?.text ?? ""), .text(event["id"]?.text ?? ""),
                .json(data), .optionalTimestamp(time),
                deadline: .after(.seconds(20)))
        } catch {
            Issue.record("\(event): \(error.report?.detail ?? "\(error)")")
        }
        await merchant.close()
    }
}
