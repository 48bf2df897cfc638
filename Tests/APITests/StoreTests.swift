import JSON
import Postgres
import Storage
import TestKit
import Testing
import Values

@testable import API

@Suite("Stores")
struct StoreTests {
    private static let path = "/v1/stores/\(TestAPI.north)"

    private static func acts(_ api: TestAPI) async throws -> [JSONValue] {
        try await api.send("GET", "\(path)/audit", as: .owner).json["data"]?.array ?? []
    }

    @Test("a change is kept, answered and written down with what was before")
    func change() async throws {
        try await TestAPI.run { api in
            let reply = try await api.send(
                "PATCH", Self.path, as: .manager,
                body: #"{"name":"Novo","locale":"en_us","low_stock_threshold":0}"#)
            #expect(try reply.json["name"] == "Novo" && reply.json["locale"] == "en-US")
            #expect(try reply.json["permissions"] == ["store.manage"])
            let act = try #require(try await Self.acts(api).first)
            #expect(act["act"] == "store.changed")
            #expect(act["actor"]?.text == TestAPI.id(of: .manager).description)
            #expect(act["store_id"]?.text == TestAPI.north.description)
            #expect(
                act["before"] == ["name": "North", "locale": "pt-BR", "low_stock_threshold": 5])
            #expect(
                act["after"] == ["name": "Novo", "locale": "en-US", "low_stock_threshold": 0])
            // Nothing that changes is no act.
            _ = try await api.send("PATCH", Self.path, as: .owner, body: #"{"name":"Novo"}"#)
            #expect(try await Self.acts(api).count == 1)
        }
    }

    @Test("time zones are of the IANA database, and every fault is told")
    func faults() async throws {
        try await TestAPI.run { api in
            let reply = try await api.send(
                "PATCH", Self.path, as: .owner, body: #"{"time_zone":"EST5","locale":"p"}"#)
            #expect(try reply.faults == ["/time_zone unknown_value", "/locale format"])
            let shapes = try await api.send(
                "PATCH", Self.path, as: .owner,
                body: #"{"currency":"brl","low_stock_threshold":-1,"name":null}"#)
            #expect(
                try shapes.faults == [
                    "/name type", "/currency format", "/low_stock_threshold range",
                ])
        }
    }

    @Test("a name of blanks is refused wherever one is given")
    func blankNames() async throws {
        let blank = #"\u2003\u200b\t "#
        let rest = #""time_zone":"UTC","locale":"pt","currency":"BRL","owner_email":"a@b.c""#
        let calls: [(String, String, TestAPI.Who, String, String)] = [
            ("PATCH", "/v1/me", .owner, #"{"name":"\#(blank)"}"#, "/name"),
            ("PATCH", Self.path, .owner, #"{"name":"\#(blank)"}"#, "/name"),
            ("POST", "\(Self.path)/api-tokens", .owner, #"{"name":"\#(blank)"}"#, "/name"),
            (
                "POST", "\(Self.path)/members", .owner,
                #"{"email":"a@b.c","name":"\#(blank)","role":"staff"}"#, "/name"
            ),
            ("POST", "/v1/ops/stores", .operators, #"{"name":"\#(blank)",\#(rest)}"#, "/name"),
            (
                "POST", "/v1/auth/accept-invite", .nobody,
                #"{"token":"x","name":"\#(blank)","password":"0123456789"}"#, "/name"
            ),
            (
                "POST", "/v1/ops/dead-letters/discard", .operators,
                #"{"reason":"x","note":"\#(blank)"}"#, "/note"
            ),
        ]
        try await TestAPI.run { api in
            for (method, path, who, body, pointer) in calls {
                let reply = try await api.send(method, path, as: who, body: body)
                #expect(reply.status == 422, "\(path)")
                #expect(try reply.faults == ["\(pointer) length"], "\(path)")
            }
        }
    }

    @Test("one's stores come in pages, by id")
    func pages() async throws {
        try await TestAPI.run { api in
            try await api.sql(
                """
                insert into sineta.members (store_id, user_id, role, joined_at)
                values ($1, $2, 'staff', now())
                """, .id(TestAPI.south), .id(TestAPI.id(of: .owner)))
            let first = try await api.send("GET", "/v1/me/stores?limit=1", as: .owner).json
            #expect(first["data"]?.array?.first?["name"] == "North")
            let next = try #require(first["next"]?.text)
            let rest = try await api.send(
                "GET", "/v1/me/stores?limit=1&after=\(next)", as: .owner
            ).json
            #expect(rest["data"]?.array?.map { $0["name"] } == ["South"])
            #expect(rest["next"] == .null)
        }
    }

    @Test("an API token is shown once, opens its store, and is refused once it is removed")
    func tokens() async throws {
        try await TestAPI.run { api in
            let made = try await api.send(
                "POST", "\(Self.path)/api-tokens", as: .owner, body: #"{"name":"Shop"}"#)
            #expect(made.status == 201)
            let token = try #require(try made.json["token"]?.text)
            let id = try #require(try made.json["id"]?.text)
            #expect(token.wholeMatch(of: #/sk_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}/#) != nil)
            #expect(token.hasPrefix(try made.json["prefix"]?.text ?? "-"))
            let event = #"{"id":"e","type":"orders.created","data":{}}"#
            func post() async throws -> RawReply {
                try await api.send("POST", "\(Self.path)/events", token: token, body: event)
            }
            #expect(try await post().code == "validation_failed")
            let list = try await api.send("GET", "\(Self.path)/api-tokens", as: .owner)
            #expect(!list.text.contains(token))
            let line = try list.json["data"]?.array?.first { $0["id"]?.text == id }
            #expect(line?["last_used_at"] != .null)
            let path = "\(Self.path)/api-tokens/\(id)"
            #expect(try await api.send("DELETE", path, as: .owner).status == 204)
            #expect(try await api.send("DELETE", path, as: .owner).status == 404)
            #expect(try await post().status == 401)
            let acts = try await Self.acts(api)
            #expect(acts.map { $0["act"] } == ["api_token.removed", "api_token.created"])
            #expect(!"\(acts)".contains(token))
        }
    }

    @Test("an operator makes a store whose owner is invited or a member at once")
    func create() async throws {
        try await TestAPI.run { api in
            let ana = try await api.account()
            func create(_ email: String, zone: String = "Europe/Lisbon") async throws -> RawReply {
                try await api.send(
                    "POST", "/v1/ops/stores", as: .operators,
                    headers: ["Idempotency-Key: \(email) \(zone)".replacing(" ", with: "")],
                    body: """
                        {"name":"Loja","time_zone":"\(zone)","locale":"pt_pt","currency":"EUR",
                        "owner_email":"\(email)"}
                        """)
            }
            let known = try await create(ana.email)
            #expect(known.status == 201, "\(known.text)")
            #expect(try known.json["invite"] == .null)
            #expect(try known.json["locale"] == "pt-PT")
            #expect(try known.json["owner"]?["id"]?.text == ana.id.description)
            let again = try await create(ana.email)
            #expect(again.text == known.text)
            #expect(again.headers["idempotency-replayed"] == "true")
            let id = try #require(try known.json["id"]?.text)
            let audit = try await api.send(
                "GET", "/v1/stores/\(id)/audit", token: ana.session.access)
            #expect(try audit.json["data"]?.array?.map { $0["act"] } == ["store.created"])
            let invited = try await create("New@example.com")
            #expect(try invited.json["invite"]?["token"]?.text?.hasPrefix("ln_") == true)
            #expect(
                try await create("x@example.com", zone: "Mars").faults == [
                    "/time_zone unknown_value"
                ])
        }
    }
}
