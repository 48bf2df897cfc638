import Alerts
import JSON
import Postgres
import Storage
import TestKit
import Testing
import Values

@testable import API

@Suite("Settings of members")
struct SettingsTests {
    private static let store = "/v1/stores/\(TestAPI.north)"
    private static let own = "\(store)/me/push-preferences"

    private static func save(
        _ api: TestAPI, _ events: String, path: String = own, as who: TestAPI.Who = .owner,
        match: String? = nil
    ) async throws -> RawReply {
        try await api.send(
            "PUT", path, as: who, headers: match.map { ["If-Match: \($0)"] } ?? [],
            body: #"{"is_enabled":true,"enabled_events":\#(events)}"#)
    }

    @Test("until somebody saves, the defaults hold")
    func defaults() async throws {
        try await TestAPI.run { api in
            let json = try await api.send("GET", Self.own, as: .owner).json
            #expect(json["is_default"] == true && json["is_enabled"] == true)
            #expect(json["available_events"]?.array?.count == 8)
            #expect(json["enabled_events"]?.array?.count == 7)
            #expect(json["enabled_events"]?.array?.contains("inventory.low_stock") == false)
            #expect(json["minimums"] == [:])
            let staff = try await api.send("GET", Self.own, as: .staff).json
            #expect(staff["available_events"] == [])
        }
    }

    /// Case G28, as far as the settings go; the pushes are in `PushCaseTests`.
    @Test("saving nothing is a choice, and other stores keep their defaults")
    func nothing() async throws {
        try await TestAPI.run { api in
            let ana = try await api.account(in: TestAPI.north)
            try await api.sql(
                """
                insert into sineta.members (store_id, user_id, role, joined_at)
                values ($1, $2, 'owner', now())
                """, .id(TestAPI.south), .id(ana.id))
            let token = ana.session.access
            let saved = try await api.send(
                "PUT", Self.own, token: token, body: #"{"is_enabled":true,"enabled_events":[]}"#)
            #expect(saved.status == 200)
            let json = try await api.send("GET", Self.own, token: token).json
            #expect(json["enabled_events"] == [] && json["is_default"] == false)
            let south = try await api.send(
                "GET", "/v1/stores/\(TestAPI.south)/me/push-preferences", token: token
            ).json
            #expect(south["is_default"] == true)
            #expect(south["enabled_events"]?.array?.count == 7)
        }
    }

    @Test("repeats are kept once, and a refusal changes nothing")
    func refusals() async throws {
        try await TestAPI.run { api in
            let twice = try await Self.save(api, #"["orders.paid","orders.paid"]"#)
            #expect(try twice.json["enabled_events"] == ["orders.paid"])
            let unknown = try await Self.save(api, #"["orders.paid","orders.lost"]"#)
            #expect(unknown.code == "validation_failed")
            #expect(try unknown.faults == ["/enabled_events/1 unknown_value"])
            let after = try await api.send("GET", Self.own, as: .owner)
            #expect(after.text == twice.text)
        }
    }

    @Test("a change of what was not seen is 412, whether by oneself, an admin or the policy")
    func versions() async throws {
        try await TestAPI.run { api in
            let tag = try #require(try await api.send("GET", Self.own, as: .owner).headers["etag"])
            let first = try await Self.save(api, "[]", match: tag)
            #expect(first.status == 200)
            #expect(try await Self.save(api, "[]", match: tag).code == "precondition_failed")
            let second = try #require(first.headers["etag"])
            _ = try await api.send(
                "PUT", "\(Self.store)/push-policy", as: .owner,
                body: #"{"required_events":["orders.paid"]}"#)
            #expect(try await Self.save(api, "[]", match: second).status == 412)
        }
    }

    @Test("an admin sets a member's preferences, which is written down")
    func byAdmin() async throws {
        try await TestAPI.run { api in
            let path = "\(Self.store)/members/\(TestAPI.id(of: .manager))/push-preferences"
            #expect(
                try await Self.save(api, #"["orders.paid"]"#, path: path).code
                    == "event_not_available")
            #expect(try await Self.save(api, "[]", path: path).status == 200)
            let theirs = try await api.send("GET", Self.own, as: .manager).json
            #expect(theirs["is_default"] == false)
            let audit = try await api.send("GET", "\(Self.store)/audit", as: .owner).json
            #expect(audit["data"]?.array?.map { $0["act"] } == ["member.preferences_changed"])
            let stranger =
                "\(Self.store)/members/\(TestAPI.id(of: .stranger))/push-preferences"
            #expect(try await api.send("GET", stranger, as: .owner).status == 404)
        }
    }

    @Test("minimums are decimals by currency, and saving them leaves the rest")
    func minimums() async throws {
        try await TestAPI.run { api in
            func put(_ body: String) async throws -> RawReply {
                try await api.send("PUT", "\(Self.own)/minimums", as: .owner, body: body)
            }
            let saved = try await put(#"{"BRL":"100.00","USD":"5"}"#)
            #expect(try saved.json["minimums"] == ["BRL": "100.00", "USD": "5"])
            #expect(try saved.json["is_default"] == true)
            let wrong = try await put(#"{"brl":"1","EUR":"-1","USD":1}"#)
            #expect(try wrong.faults == ["/brl format", "/EUR format", "/USD type"])
            // Any code of ISO 4217: this one is younger than the list of Debian's ICU.
            let young = try await put(#"{"XCG":"10.00"}"#)
            #expect(try young.json["minimums"] == ["XCG": "10.00"])
            _ = try await put(#"{"BRL":"100.00","USD":"5"}"#)
            _ = try await Self.save(api, "[]")
            let kept = try await api.send("GET", Self.own, as: .owner).json
            #expect(kept["minimums"] == ["BRL": "100.00", "USD": "5"])
            #expect(try await put("{}").json["minimums"] == [:])
        }
    }

    @Test("a subject is muted until a moment or for ever, and heard again")
    func mutes() async throws {
        try await TestAPI.run { api in
            let id = UUID.v7().description
            let path = "\(Self.store)/me/mutes/conversation/\(id)"
            #expect(try await api.send("GET", path, as: .owner).status == 404)
            let ever = try await api.send("PUT", path, as: .owner)
            #expect(
                try ever.json == ["subject": "conversation", "id": .text(id), "until": .null])
            let until = #"{"until":"2099-01-01T00:00:00.5Z"}"#
            let some = try await api.send("PUT", path, as: .owner, body: until)
            #expect(try some.json["until"]?.text?.hasPrefix("2099-01-01T00:00:00.5") == true)
            #expect(try await api.send("GET", path, as: .owner).text == some.text)
            let past = try await api.send(
                "PUT", path, as: .owner, body: #"{"until":"2020-01-01T00:00:00Z"}"#)
            #expect(try past.faults == ["/until range"])
            #expect(try await api.send("GET", path, as: .manager).status == 404)
            #expect(try await api.send("DELETE", path, as: .owner).status == 204)
            #expect(try await api.send("DELETE", path, as: .owner).status == 404)
        }
    }

    @Test("what is muted has an id that events can have, in whatever case it comes")
    func mutedIDs() async throws {
        try await TestAPI.run { api in
            let id = "0199abcd-0000-7000-8000-00000000000f"
            for subject in ["conversation", "variant", "customer"] {
                let mutes = "\(Self.store)/me/mutes/\(subject)"
                for none in ["c1", String(id.dropLast()), "\(id)0", "%20"] {
                    let reply = try await api.send("PUT", "\(mutes)/\(none)", as: .owner)
                    #expect(reply.code == "not_found", "\(none)")
                }
                let muted = try await api.send("PUT", "\(mutes)/\(id.uppercased())", as: .owner)
                #expect(try muted.json["id"]?.text == id)
                #expect(
                    try await api.send("GET", "\(mutes)/\(id)", as: .owner).text == muted.text)
            }
            #expect(try await api.count("select count(*) from sineta.subject_settings") == 3)
        }
    }

    @Test("a policy's defaults and requirements hold, and a lock keeps who set it")
    func policy() async throws {
        try await TestAPI.run { api in
            let path = "\(Self.store)/push-policy"
            let before = try await api.send("GET", path, as: .owner)
            #expect(try before.json["etag"]?.text == before.headers["etag"])
            #expect(try before.json["default_events"]?.array?.count == 7)
            let saved = try await api.send(
                "PUT", path, as: .owner,
                body:
                    #"{"default_events":["inventory.low_stock"],"required_events":["orders.paid"]}"#
            )
            let lock = try #require(try saved.json["required_events"]?.array?.first)
            #expect(lock["kind"] == "orders.paid")
            #expect(lock["locked_by"]?["name"] == "owner")
            let again = try await api.send(
                "PUT", path, as: .manager,
                body: #"{"required_events":["orders.created","orders.paid"]}"#)
            let locks = try again.json["required_events"]?.array ?? []
            #expect(locks.map { $0["locked_by"]?["name"] } == ["manager", "owner"])
            #expect(locks.last == lock)
            let stale = try await api.send(
                "PUT", path, as: .owner,
                headers: ["If-Match: \(saved.headers["etag"] ?? "")"], body: "{}")
            #expect(stale.code == "precondition_failed")
            let own = try await api.send("GET", Self.own, as: .owner).json
            #expect(
                own["enabled_events"] == [
                    "orders.created", "orders.paid", "inventory.low_stock",
                ])
            let off = try await Self.save(api, #"["orders.created"]"#)
            #expect(off.code == "locked_by_policy")
            #expect(try off.faults == ["/enabled_events not_allowed"])
            let unknown = try await api.send(
                "PUT", path, as: .owner, body: #"{"default_events":["test"]}"#)
            #expect(try unknown.faults == ["/default_events/0 unknown_value"])
        }
    }
}
