import JSON
import Runtime
import TestKit
import Testing
import Values

@testable import API

@Suite("Why somebody got an alert or did not")
struct AlertTests {
    @Test("before it is decided an alert has no members; then each has a reason, each push its end")
    func explained() async throws {
        try await TestAPI.run { api in
            let device = try await api.phone(of: .owner)
            let posted = try await api.post(TestEvents.order(id: "order-1042-paid"))
            let id = try #require(posted["alert_id"]?.text)
            for who in [TestAPI.Who.owner, .backend, .staff] {
                let alert = try await api.alert(id, as: who)
                #expect(alert["decided_at"] == .null, "\(who)")
                #expect(alert["members"] == [], "\(who)")
                #expect(alert["kind"] == "orders.paid")
            }
            try await api.working { try await api.settle() }
            let alert = try await api.alert(id, as: .owner)
            #expect(alert["event"]?["id"] == "order-1042-paid")
            #expect(alert["event"]?["type"] == "orders.paid")
            #expect(alert["subject"] == ["order_id": .text(TestEvents.order)])
            #expect(alert["decided_at"]?.text != nil)
            #expect(alert["unheard"] == false)
            #expect(
                alert.reasons == [
                    "owner notified", "staff no_permission", "manager no_permission",
                    "expired no_device", "ended no_device",
                ])
            let owner = try #require(alert.member("owner"))
            #expect(owner["decision"] == "notified")
            let line = try #require(owner["devices"]?.array?.first)
            #expect(line["device_id"]?.text == device)
            #expect(line["platform"] == "ios")
            #expect(line["state"] == "accepted")
            #expect(line["next_attempt_at"] == .null)
            let attempt = try #require(line["attempts"]?.array?.first)
            #expect(attempt["status"] == 200)
            #expect(attempt["provider_message_id"] == "from-the-provider")
            #expect(line["attempts"]?.array?.count == 1)
            #expect(alert.member("staff")?["devices"] == [])
        }
    }

    @Test("a member sees their own line and no other, a stranger nothing")
    func ownLine() async throws {
        try await TestAPI.run { api in
            let id = try #require(try await api.post(TestEvents.order())["alert_id"]?.text)
            try await api.working { try await api.settle() }
            #expect(try await api.alert(id, as: .staff).reasons == ["staff no_permission"])
            #expect(try await api.alert(id, as: .backend).reasons.count == 5)
            let path = "\(TestAPI.norths)/alerts"
            for (who, status) in [
                (TestAPI.Who.stranger, 404), (.otherBackend, 404), (.nobody, 401),
            ] {
                #expect(try await api.send("GET", "\(path)/\(id)", as: who).status == status)
                #expect(try await api.send("GET", path, as: who).status == status)
            }
            let list = try await api.alerts("", as: .staff)
            #expect(list.map(\.reasons) == [["staff no_permission"]])
            // Somebody else's lines are not to be guessed at, nor what an alert says.
            for query in ["?user_id=\(UUID.v7())", "?q=Ana"] {
                let reply = try await api.send("GET", path + query, as: .staff)
                #expect(reply.code == "forbidden", "\(query)")
            }
        }
    }

    @Test("the list is narrowed by kind, subject, words, person, device, time and silence")
    func filters() async throws {
        try await TestAPI.run { api in
            let metrics = Metrics()
            try await api.working(metrics: metrics) {
                try await api.post(TestEvents.order("created"))
                try await api.settle()
                try await api.phone(of: .owner)
                try await api.post(TestEvents.order("paid", customer: "100% Bia"))
                try await api.post(TestEvents.message("bom dia"))
                try await api.settle()
            }
            func kinds(_ query: String) async throws -> [String] {
                try await api.alerts(query, as: .owner).compactMap { $0["kind"]?.text }
            }
            let all = ["conversations.message_received", "orders.paid", "orders.created"]
            #expect(try await kinds("") == all)
            #expect(try await kinds("?kind=orders.paid") == ["orders.paid"])
            let subject = TestEvents.conversation.uppercased()
            #expect(try await kinds("?subject_id=\(subject)") == [all[0]])
            #expect(try await kinds("?q=100%25%20b") == ["orders.paid"])
            #expect(try await kinds("?q=total") == [])
            #expect(try await kinds("?q=BOM") == [all[0]])
            let me = try await api.send("GET", "/v1/me", as: .owner).json["id"]?.text ?? ""
            #expect(try await kinds("?user_id=\(me)") == all)
            #expect(try await kinds("?user_id=\(UUID.v7())") == [])
            let device =
                try await api.send("GET", "/v1/me/devices", as: .owner)
                .json["data"]?.array?.first?["id"]?.text ?? ""
            #expect(try await kinds("?device_id=\(device)") == Array(all.prefix(2)))
            #expect(try await kinds("?from=2100-01-01T00:00:00Z") == [])
            #expect(try await kinds("?to=2100-01-01T00:00:00Z") == all)
            #expect(try await kinds("?unheard=true") == ["orders.created"])
            #expect(
                metrics.render().contains(
                    #"sineta_alerts_unheard_total{kind="orders.created"} 1"#))
            let wrong = try await api.send(
                "GET", "\(TestAPI.norths)/alerts?kind=orders.lost", as: .owner)
            #expect(wrong.status == 422)
        }
    }

    @Test("who would hear what is counted per kind, and nobody is a warning")
    func coverage() async throws {
        try await TestAPI.run { api in
            let path = "\(TestAPI.norths)/coverage"
            func paid() async throws -> JSONValue? {
                try await api.send("GET", path, as: .owner).json["kinds"]?.array?
                    .first { $0["kind"] == "orders.paid" }
            }
            #expect(
                try await paid() == [
                    "kind": "orders.paid", "members": 5, "would_alert": 0, "warning": true,
                    "blocked": ["no_permission": 2, "no_device": 3],
                ])
            try await api.phone(of: .owner, "android")
            #expect(
                try await paid() == [
                    "kind": "orders.paid", "members": 5, "would_alert": 1, "warning": false,
                    "blocked": ["no_permission": 2, "no_device": 2],
                ])
            for (who, status) in [(TestAPI.Who.manager, 403), (.backend, 403), (.stranger, 404)] {
                #expect(try await api.send("GET", path, as: who).status == status, "\(who)")
            }
        }
    }
}

extension TestAPI {
    func alert(_ id: String, as who: Who) async throws -> JSONValue {
        let reply = try await send("GET", "\(Self.norths)/alerts/\(id)", as: who)
        #expect(reply.status == 200, "\(who): \(reply.text)")
        return try reply.json
    }

    func alerts(_ query: String, as who: Who) async throws -> [JSONValue] {
        let reply = try await send("GET", "\(Self.norths)/alerts\(query)", as: who)
        #expect(reply.status == 200, "\(query): \(reply.text)")
        return try reply.json["data"]?.array ?? []
    }
}

extension JSONValue {
    /// Name and reason of each member of an alert.
    var reasons: [String] {
        (self["members"]?.array ?? []).map {
            "\($0["user"]?["name"]?.text ?? "-") \($0["reason"]?.text ?? "-")"
        }
    }

    func member(_ name: String) -> JSONValue? {
        self["members"]?.array?.first { $0["user"]?["name"]?.text == name }
    }
}
