import JSON
import Postgres
import Storage
import TestKit
import Testing
import Values

@testable import API

@Suite("Dead letters")
struct DeadLetterTests {
    private static let path = "/v1/ops/dead-letters"

    @Test("they are listed newest first in pages, by reason and by store, and counted by reason")
    func list() async throws {
        try await TestAPI.run { api in
            let graves = try await Graveyard(api)
            var ids: [String] = []
            for reason in ["BadTopic", "poison", "BadTopic"] {
                ids.append(try await graves.bury(reason).description)
            }
            ids.append(try await graves.bury("BadTopic", of: TestAPI.south).description)
            let all = try await api.send("GET", Self.path, as: .operators)
            #expect(try all.ids == Array(ids.reversed()))
            let first = try await api.send("GET", "\(Self.path)?limit=3", as: .operators)
            let next = try #require(try first.json["next"]?.text)
            let second = try await api.send(
                "GET", "\(Self.path)?limit=3&after=\(next)", as: .operators)
            #expect(try first.ids + second.ids == Array(ids.reversed()))
            #expect(try second.json["next"] == .null)
            let some = try await api.send(
                "GET", "\(Self.path)?reason=BadTopic&store_id=\(TestAPI.north)", as: .operators)
            #expect(try some.ids == [ids[2], ids[0]])
            let wrong = try await api.send("GET", "\(Self.path)?store_id=x", as: .operators)
            #expect(wrong.code == "validation_failed")
            let counts = try await api.send("GET", "\(Self.path)/counts", as: .operators)
            let lines = try counts.json["data"]?.array?.map {
                "\($0["reason"]?.text ?? "") \($0["count"]?.integer ?? 0)"
            }
            #expect(lines == ["BadTopic 3", "poison 1"])
        }
    }

    @Test("one shows its attempts, its fate and what to do, and nothing of what it would have said")
    func one() async throws {
        try await TestAPI.run { api in
            let graves = try await Graveyard(api)
            let device = try await graves.device()
            let id = try await graves.bury("BadTopic", device: device)
            _ = try await graves.run("update sineta.jobs_dead set args = '{\"text\":\"secret\"}'")
            let reply = try await api.send("GET", "\(Self.path)/\(id)", as: .operators)
            #expect(reply.status == 200)
            let value = try reply.json
            #expect(
                value.object?.keys == [
                    "id", "kind", "store_id", "alert_id", "user_id", "device_id", "reason",
                    "attempts", "died_at", "stale", "fate", "lane", "losses", "raised_at",
                    "expires_at", "advice", "tries",
                ])
            #expect(value["id"]?.text == id.description)
            #expect(value["device_id"]?.text == device.description)
            #expect(value["stale"] == false && value["fate"] == "live")
            #expect(value["lane"] == "push.deliver/apns.production/urgent")
            #expect(
                value["tries"] == [
                    ["at": "2026-01-02T03:04:05Z", "reason": "BadTopic", "status": 403]
                ])
            #expect(value["advice"]?.text?.contains("APNS_TOPIC") == true)
            #expect(!reply.text.contains("secret"))
            let none = try await api.send("GET", "\(Self.path)/\(UUID.v7())", as: .operators)
            #expect(none.code == "not_found")
        }
    }

    @Test("a dry run tells live, stale, without device and accepted apart, and changes nothing")
    func dryRun() async throws {
        try await TestAPI.run { api in
            let graves = try await Self.mixed(api)
            let body = #"{"reason":"InvalidProviderToken","dry_run":true}"#
            for act in ["retry", "discard"] {
                let reply = try await api.send(
                    "POST", "\(Self.path)/\(act)", as: .operators,
                    body: act == "retry" ? body : body.dropLast() + #","note":"why"}"#)
                #expect(
                    reply.text
                        == #"{"dry_run":true,"found":5,"live":2,"stale":1,"no_device":1,"#
                        + #""accepted":1,"done":0,"remaining":0}"#)
            }
            #expect(try await graves.count("select count(*) from sineta.jobs_dead") == 6)
            #expect(try await graves.count("select count(*) from sineta.audit") == 0)
        }
    }

    @Test("a retry takes what was never accepted, once, and stands in the audit log")
    func retry() async throws {
        try await TestAPI.run { api in
            let graves = try await Self.mixed(api)
            let key = ["Idempotency-Key: once"]
            let body = #"{"reason":"InvalidProviderToken"}"#
            let expected =
                #"{"dry_run":false,"found":5,"live":2,"stale":1,"no_device":1,"accepted":1,"#
                + #""done":4,"remaining":0}"#
            for isReplay in [false, true] {
                let reply = try await api.send(
                    "POST", "\(Self.path)/retry", as: .operators, headers: key, body: body)
                #expect(reply.status == 200 && reply.text == expected)
                #expect((reply.headers["idempotency-replayed"] == "true") == isReplay)
            }
            #expect(try await graves.count("select count(*) from sineta.jobs_dead") == 2)
            #expect(
                try await graves.count(
                    "select count(*) from sineta.jobs where attempts = 0 and lane = 11") == 4)
            let audit = try await api.send("GET", "/v1/ops/audit", as: .operators)
            let acts = try #require(try audit.json["data"]?.array)
            #expect(acts.map { $0["act"]?.text } == ["dead_letters.retried"])
            #expect(acts[0]["store_id"]?.text == TestAPI.north.description)
            #expect(acts[0]["subject"]?.text == "InvalidProviderToken")
            #expect(acts[0]["after"] == ["count": 4])
        }
    }

    @Test("a discard by ids writes the end and keeps the note")
    func discard() async throws {
        try await TestAPI.run { api in
            let graves = try await Graveyard(api)
            let id = try await graves.bury(device: try await graves.device())
            let other = try await graves.bury()
            let reply = try await api.send(
                "POST", "\(Self.path)/discard", as: .operators,
                body: #"{"ids":["\#(id)"],"note":"wrong key for a day"}"#)
            #expect(try reply.json["done"] == 1)
            #expect(
                try await graves.count(
                    "select count(*) from sineta.deliveries where outcome = 'dead'") == 1)
            let left = try await api.send("GET", Self.path, as: .operators)
            #expect(try left.ids == [other.description])
            let audit = try await api.send("GET", "/v1/ops/audit", as: .operators)
            let act = try #require(try audit.json["data"]?.array?.first)
            #expect(act["act"] == "dead_letters.discarded")
            #expect(act["subject"]?.text == id.description)
            #expect(
                act["after"] == [
                    "ids": [.text(id.description)], "note": "wrong key for a day", "count": 1,
                ])
        }
    }

    @Test(
        "what is not chosen clearly is refused",
        arguments: [
            ("retry", "{}", "/ids required"),
            ("retry", #"{"ids":["x"]}"#, "/ids/0 format"),
            ("retry", #"{"ids":[]}"#, "/ids length"),
            (
                "retry", #"{"ids":["01900000-0000-7000-8000-000000000001"],"reason":"x"}"#,
                "/reason not_allowed"
            ),
            ("discard", #"{"reason":"x"}"#, "/note required"),
        ])
    func refused(act: String, body: String, fault: String) async throws {
        try await TestAPI.run { api in
            let reply = try await api.send(
                "POST", "\(Self.path)/\(act)", as: .operators, body: body)
            #expect(reply.status == 422)
            #expect(try reply.faults == [fault])
        }
    }

    /// Of one reason two live ones, a stale one, one without device and one that was accepted; and
    /// one of another reason.
    private static func mixed(_ api: TestAPI) async throws -> Graveyard {
        let graves = try await Graveyard(api)
        let device = try await graves.device()
        try await graves.bury(device: device)
        try await graves.bury(device: device)
        try await graves.bury(device: device, isStale: true)
        try await graves.bury()
        try await graves.bury(device: device, wasAccepted: true)
        try await graves.bury("poison", device: device)
        return graves
    }
}
