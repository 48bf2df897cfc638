import JSON
import TestKit
import Testing
import Values

@testable import API

@Suite("What a tapped alert opens")
struct SubjectTests {
    @Test("an order is as its newest event says, whatever came first")
    func order() async throws {
        try await TestAPI.run { api in
            let path = "\(TestAPI.norths)/orders/\(TestEvents.order)"
            #expect(try await api.send("GET", path, as: .owner).code == "not_found")
            try await api.post(TestEvents.order("paid", at: "2026-01-02T10:00:00Z"))
            try await api.post(
                TestEvents.order("created", customer: "Ana", at: "2026-01-02T09:00:00Z"))
            let reply = try await api.send("GET", path.uppercasedIDs, as: .owner)
            #expect(
                try reply.json == [
                    "id": .text(TestEvents.order), "number": "1042", "status": "paid",
                    "total": ["amount": "1234.56", "currency": "BRL"],
                    "customer_name": "Ana Souza", "channel": nil,
                    "created_at": "2026-01-02T09:00:00Z", "paid_at": "2026-01-02T10:00:00Z",
                    "cancelled_at": nil,
                ])
        }
    }

    @Test("a conversation tells its last message, its assignee and what is unread")
    func conversation() async throws {
        try await TestAPI.run { api in
            try await api.post(TestEvents.message("Olá", id: "m1", at: "2026-01-02T10:00:00Z"))
            try await api.post(TestEvents.message("Oi?", id: "m2", at: "2026-01-02T10:01:00Z"))
            try await api.post(TestEvents.message("Oi?", id: "m2", at: "2026-01-02T10:01:00Z"))
            let me = try await api.send("GET", "/v1/me", as: .owner).json["id"] ?? .null
            try await api.post(
                TestEvents.event(
                    "conversations.assigned",
                    ["conversation_id": .text(TestEvents.conversation), "assignee_id": me]))
            let reply = try await api.send(
                "GET", "\(TestAPI.norths)/conversations/\(TestEvents.conversation)", as: .owner)
            #expect(
                try reply.json == [
                    "id": .text(TestEvents.conversation), "status": "open",
                    "customer_name": "Ana Souza", "assignee": ["id": me, "name": "owner"],
                    "bot_enabled": false, "unread": 2,
                    "last_message": [
                        "id": "m2", "kind": "text", "text": "Oi?", "at": "2026-01-02T10:01:00Z",
                    ],
                ])
            let counts = try await api.send(
                "GET", "\(TestAPI.norths)/conversations/counts", as: .owner)
            #expect(
                counts.text
                    == #"{"open":1,"pending":0,"closed":0,"#
                    + #""unread":{"mine":1,"unassigned":0,"total":1}}"#)
        }
    }

    @Test("what is dated in the future is of the moment of its receipt, and hides nothing to come")
    func future() async throws {
        try await TestAPI.run { api in
            let far = "2999-01-01T00:00:00Z"
            try await api.post(TestEvents.order("paid", at: far))
            let order = try await api.send(
                "GET", "\(TestAPI.norths)/orders/\(TestEvents.order)", as: .owner
            ).json
            let paid = try #require(order["paid_at"]?.text.flatMap { Timestamp(rfc3339: $0) })
            #expect(paid <= .now())
            try await api.post(TestEvents.message("Olá"))
            try await api.post(
                TestEvents.event(
                    "conversations.read",
                    [
                        "conversation_id": .text(TestEvents.conversation), "read_at": .text(far),
                    ], at: far))
            try await api.post(TestEvents.message("Ainda aí?"))
            let conversation = try await api.send(
                "GET", "\(TestAPI.norths)/conversations/\(TestEvents.conversation)", as: .owner
            ).json
            #expect(conversation["unread"] == 1)
        }
    }

    @Test("stock is told by location")
    func stock() async throws {
        try await TestAPI.run { api in
            try await api.post(TestEvents.stock(-2))
            let reply = try await api.send(
                "GET", "\(TestAPI.norths)/variants/\(TestEvents.variant)/stock", as: .owner)
            let location = try #require(try reply.json["locations"]?.array?.first)
            #expect(location["quantity"] == -2)
            #expect(location["location_name"] == "Centro")
            #expect(try reply.json["product_id"]?.text == TestEvents.product)
            #expect(try reply.json["variant_name"] == "P")
        }
    }

    @Test("who may not read a kind gets 403, who is no member 404, a backend nothing")
    func authority() async throws {
        try await TestAPI.run { api in
            try await api.post(TestEvents.order())
            for path in [
                "orders/\(TestEvents.order)", "conversations/\(TestEvents.conversation)",
                "conversations/counts", "variants/\(TestEvents.variant)/stock",
            ] {
                for (who, status, code) in [
                    (TestAPI.Who.staff, 403, "forbidden"), (.stranger, 404, "not_found"),
                    (.backend, 403, "session_required"), (.nobody, 401, "unauthenticated"),
                ] {
                    let reply = try await api.send("GET", "\(TestAPI.norths)/\(path)", as: who)
                    #expect(reply.status == status, "\(path) \(who)")
                    #expect(reply.code == code, "\(path) \(who)")
                }
            }
            let foreign = try await api.send(
                "GET", "/v1/stores/\(TestAPI.south)/orders/\(TestEvents.order)", as: .stranger)
            #expect(foreign.status == 404)
            #expect(
                try await api.send("GET", "\(TestAPI.norths)/orders/1042", as: .owner).status == 404
            )
        }
    }
}

extension String {
    /// The last part in capital letters: ids come in either case.
    fileprivate var uppercasedIDs: String {
        let parts = split(separator: "/", omittingEmptySubsequences: false)
        return (parts.dropLast().map(String.init) + [parts.last?.uppercased() ?? ""])
            .joined(separator: "/")
    }
}
