import Alerts
import JSON
import Postgres
import Storage
import TestKit
import Testing
import Values

@testable import API

@Suite("Members")
struct MemberTests {
    private static let path = "/v1/stores/\(TestAPI.north)/members"

    private static func add(
        _ api: TestAPI, _ body: String, by token: String? = nil, key: String? = nil
    ) async throws -> RawReply {
        try await api.send(
            "POST", path, as: .owner, token: token,
            headers: key.map { ["Idempotency-Key: \($0)"] } ?? [], body: body)
    }

    @Test("a known address is a member at once; another is invited, once, for seven days")
    func add() async throws {
        try await TestAPI.run { api in
            let ana = try await api.account()
            let known = try await Self.add(api, #"{"email":"\#(ana.email)","role":"staff"}"#)
            #expect(known.status == 201)
            #expect(
                try known.json == [
                    "user": [
                        "id": .text(ana.id.description), "name": "ana", "email": .text(ana.email),
                    ], "invite": .null,
                ])
            let stores = try await api.send("GET", "/v1/me/stores", token: ana.session.access)
            let line = try #require(try stores.json["data"]?.array?.first)
            #expect(
                line == [
                    "id": .text(TestAPI.north.description), "name": "North",
                    "time_zone": "America/Sao_Paulo", "locale": "pt-BR", "currency": "BRL",
                    "low_stock_threshold": 5, "role": "staff",
                    "permissions": ["orders.read", "inventory.read", "conversations.read"],
                ])
            let body = #"{"email":"new@example.com","role":"admin"}"#
            let invited = try await Self.add(api, body, key: "k")
            let until = try invited.json["invite"]?["expires_at"]?.text
            let life = Timestamp(rfc3339: until ?? "").map { $0.microseconds }
            let week = Timestamp.now().microseconds + 7 * 86_400_000_000
            #expect(abs((life ?? 0) - week) < 60_000_000)
            #expect(try await Self.add(api, body, key: "k").code == "one_time_secret")
            #expect(try await Self.add(api, body).code == "conflict")
        }
    }

    @Test("the list tells who was invited and has not come, in pages")
    func list() async throws {
        try await TestAPI.run { api in
            _ = try await Self.add(
                api, #"{"email":"new@example.com","name":"Nova","role":"staff","permissions":[]}"#)
            let first = try await api.send("GET", "\(Self.path)?limit=5", as: .owner).json
            let next = try #require(first["next"]?.text)
            let rest = try await api.send("GET", "\(Self.path)?after=\(next)", as: .owner).json
            let lines = (first["data"]?.array ?? []) + (rest["data"]?.array ?? [])
            #expect(lines.count == 6)
            #expect(rest["next"] == .null)
            #expect(lines.last?["user"]?["email"] == "new@example.com")
            #expect(lines.last?["joined_at"] == .null)
            #expect(lines.last?["permissions"] == [])
            #expect(lines.filter { $0["joined_at"] == .null }.count == 1)
        }
    }

    @Test("every fault of a new member is told, and unknown words are refused")
    func faults() async throws {
        try await TestAPI.run { api in
            let reply = try await Self.add(
                api, #"{"email":"nobody","role":"boss","permissions":["orders.read","all"]}"#)
            #expect(
                try reply.faults == [
                    "/email format", "/role unknown_value", "/permissions/1 unknown_value",
                ])
        }
    }

    @Test("the last owner stays, also when two leave at once")
    func lastOwner() async throws {
        try await TestAPI.run { api in
            let ana = try await api.account(in: TestAPI.south, role: .owner)
            let path = "/v1/stores/\(TestAPI.south)/members"
            let people = [ana.id, TestAPI.id(of: .stranger)]
            let replies = try await withThrowingTaskGroup(of: RawReply.self) { group in
                for person in people {
                    group.addTask {
                        try await api.send(
                            "PATCH", "\(path)/\(person)", token: ana.session.access,
                            body: #"{"role":"admin"}"#)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.count { $0.status == 200 } == 1)
            #expect(
                try await api.count(
                    "select count(*) from sineta.members where store_id = $1 and role = 'owner'",
                    .id(TestAPI.south)) == 1)
        }
    }

    @Test("an admin manages everybody but owners")
    func admin() async throws {
        try await TestAPI.run { api in
            let admin = try await api.account(in: TestAPI.north, role: .admin)
            let token = admin.session.access
            let owner = "\(Self.path)/\(TestAPI.id(of: .owner))"
            for (method, path, body) in [
                ("PATCH", owner, #"{"role":"staff"}"#), ("DELETE", owner, nil),
                ("POST", "\(owner)/reset", nil),
                (
                    "PUT", "\(owner)/push-preferences",
                    #"{"is_enabled":false,"enabled_events":[]}"#
                ),
                ("PUT", "\(owner)/mutes/customer/\(TestAPI.north)", nil),
                ("PATCH", "\(Self.path)/\(admin.id)", #"{"role":"owner"}"#),
                ("POST", Self.path, #"{"email":"new@example.com","role":"owner"}"#),
            ] {
                let reply = try await api.send(method, path, token: token, body: body)
                #expect(reply.code == "forbidden", "\(method) \(path)")
            }
            let staff = "\(Self.path)/\(TestAPI.id(of: .staff))"
            let raised = try await api.send(
                "PATCH", staff, token: token, body: #"{"role":"admin"}"#)
            #expect(try raised.json["role"] == "admin")
            #expect(try raised.json["permissions"]?.array?.count == 6)
            #expect(try await api.send("DELETE", staff, token: token).status == 204)
            #expect(
                try await api.send("GET", "/v1/stores/\(TestAPI.north)", as: .staff).status == 404)
        }
    }

    @Test("staff who manage members give what they have and no more")
    func escalation() async throws {
        try await TestAPI.run { api in
            let clerk = try await api.account(
                in: TestAPI.north, permissions: [.membersManage, .ordersRead])
            let token = clerk.session.access
            let own = "\(Self.path)/\(clerk.id)"
            for (path, body) in [
                (own, #"{"permissions":["members.manage","store.manage"]}"#),
                (own, #"{"role":"admin"}"#),
                ("\(Self.path)/\(TestAPI.id(of: .owner))", #"{"permissions":[]}"#),
            ] {
                let reply = try await api.send("PATCH", path, token: token, body: body)
                #expect(reply.code == "forbidden", "\(body)")
            }
            let manager = "\(Self.path)/\(TestAPI.id(of: .manager))"
            let kept = try await api.send(
                "PATCH", manager, token: token,
                body: #"{"permissions":["store.manage","orders.read"]}"#)
            #expect(try kept.json["permissions"] == ["orders.read", "store.manage"])
        }
    }

    @Test("a reset link is refused where it would open a store that the caller does not manage")
    func reset() async throws {
        try await TestAPI.run { api in
            let ana = try await api.account(in: TestAPI.north)
            let path = "\(Self.path)/\(ana.id)/reset"
            #expect(try await api.send("POST", path, as: .owner).status == 201)
            try await api.sql(
                """
                insert into sineta.members (store_id, user_id, role, joined_at)
                values ($1, $2, 'staff', now())
                """, .id(TestAPI.south), .id(ana.id))
            #expect(try await api.send("POST", path, as: .owner).code == "forbidden")
            // The caller manages members there too, but must not touch an owner.
            try await api.sql(
                """
                insert into sineta.members (store_id, user_id, role, joined_at)
                values ($1, $2, 'admin', now())
                """, .id(TestAPI.south), .id(TestAPI.id(of: .owner)))
            #expect(try await api.send("POST", path, as: .owner).status == 201)
            try await api.sql(
                "update sineta.members set role = 'owner' where store_id = $1 and user_id = $2",
                .id(TestAPI.south), .id(ana.id))
            #expect(try await api.send("POST", path, as: .owner).code == "forbidden")
        }
    }
}
