import JSON
import Postgres
import Simulator
import TestKit
import Testing
import Values

@testable import API

@Suite("Test pushes")
struct DevicePushTests {
    private static func device(
        _ api: TestAPI, _ session: String, _ token: String = PushTokens.ios(1),
        platform: String = "ios", more: String = ""
    ) async throws -> String {
        let reply = try await api.register(token, for: session, platform: platform, more: more)
        return try #require(try reply.json["id"]?.text, "\(reply.text)")
    }

    private static func test(
        _ api: TestAPI, _ device: String, _ session: String, key: String? = nil
    ) async throws -> RawReply {
        try await api.send(
            "POST", "/v1/me/devices/\(device)/test", token: session,
            headers: key.map { ["Idempotency-Key: \($0)"] } ?? [])
    }

    private static let languages: [(device: String?, profile: String?, title: String)] = [
        ("pt_BR", "en", "Teste de notificação"), ("PT-br", "en", "Teste de notificação"),
        ("pt", "en", "Teste de notificação"), ("EN-gb", "pt-BR", "Notification test"),
        (nil, "en-US", "Notification test"), ("tlh", "en", "Notification test"),
        (nil, nil, "Teste de notificação"),
    ]

    /// Case G29: the device's language goes before the profile's.
    @Test("it comes at once in the device's language, or else in the person's")
    func language() async throws {
        try await SimulatedPushes.run { api, pushes in
            for (number, row) in Self.languages.enumerated() {
                let session = try await api.account(locale: row.profile).session.access
                let token = PushTokens.ios(number)
                let id = try await Self.device(
                    api, session, token, more: row.device.map { #","locale":"\#($0)""# } ?? "")
                let reply = try await Self.test(api, id, session)
                #expect(reply.status == 200, "\(reply.text)")
                let entry = try #require(pushes.simulator.inbox.entries(token: token).first)
                #expect(entry.json?["aps"]?["alert"]?["title"]?.text == row.title)
                #expect(
                    try reply.json == [
                        "device_id": .text(id), "provider": "apns",
                        "provider_message_id": .text(try #require(entry.header("apns-id"))),
                    ])
            }
        }
    }

    @Test("a sandbox build's goes to the sandbox, an Android device's to FCM with the whole name")
    func routes() async throws {
        try await SimulatedPushes.run { api, pushes in
            let ana = try await api.account().session.access
            let sandbox = try await Self.device(api, ana, more: #","environment":"sandbox""#)
            #expect(try await Self.test(api, sandbox, ana).status == 200)
            #expect(pushes.simulator.inbox.entries().map(\.environment) == ["sandbox"])
            let bia = try await api.account("bia").session.access
            let token = "fcm-token:\(String(repeating: "x", count: 140))"
            let android = try await Self.device(api, bia, token, platform: "android")
            let reply = try await Self.test(api, android, bia)
            #expect(try reply.json["provider"] == "fcm", "\(reply.text)")
            let name = try reply.json["provider_message_id"]?.text ?? ""
            #expect(name.hasPrefix("projects/sineta-simulator/messages/"))
            let list = try await api.send("GET", "/v1/me/devices", token: bia).json
            #expect(list["data"]?.array?.first?["last_accepted_at"] != .null)
        }
    }

    @Test("a dead token is 410: the device is deleted, with the provider's word")
    func dead() async throws {
        try await SimulatedPushes.run { api, pushes in
            let session = try await api.account().session.access
            let id = try await Self.device(api, session)
            pushes.next(400, "BadDeviceToken")
            let reply = try await Self.test(api, id, session)
            #expect(reply.code == "push_token_invalid")
            #expect(try reply.json["error"] == "BadDeviceToken")
            #expect(try await api.devices(of: session) == [])
            let removed = try await api.send("GET", "/v1/me/devices/removed", token: session)
            let line = try removed.json["data"]?.array?.first
            #expect(line?["reason"] == "provider_rejected")
            #expect(line?["provider_reason"] == "BadDeviceToken")
        }
    }

    @Test("what the provider refuses otherwise is 502 with its word, and the device stays")
    func refused() async throws {
        try await SimulatedPushes.run { api, pushes in
            let session = try await api.account().session.access
            let id = try await Self.device(api, session)
            for (status, word) in [
                (429, "TooManyRequests"), (500, "InternalServerError"), (403, "Forbidden"),
            ] {
                pushes.next(status, word)
                let reply = try await Self.test(api, id, session)
                #expect(reply.code == "push_provider_error")
                #expect(try reply.json["error"]?.text == word)
                let list = try await api.send("GET", "/v1/me/devices", token: session).json
                #expect(list["data"]?.array?.first?["last_error"]?.text == word)
            }
        }
    }

    @Test("five a minute for each device, however many sessions ask")
    func often() async throws {
        try await SimulatedPushes.run { api, _ in
            let session = try await api.account().session.access
            let id = try await Self.device(api, session)
            for _ in 0..<5 { #expect(try await Self.test(api, id, session).status == 200) }
            let refused = try await Self.test(api, id, session)
            #expect(refused.code == "rate_limited")
            #expect(refused.headers["ratelimit-policy"] == "\"device-test\";q=5;w=60")
        }
    }

    @Test("under one key the phone rings once, however often it is asked for, also when it is gone")
    func repeated() async throws {
        try await SimulatedPushes.run { api, pushes in
            let session = try await api.account().session.access
            let id = try await Self.device(api, session)
            let first = try await Self.test(api, id, session, key: "k1")
            #expect(first.status == 200)
            #expect(first.headers["idempotency-replayed"] == nil)
            // Beyond the five a minute: what is only told again costs nothing.
            for _ in 0..<6 {
                let again = try await Self.test(api, id, session, key: "k1")
                #expect(again.status == 200)
                #expect(again.text == first.text)
                #expect(again.headers["idempotency-replayed"] == "true")
            }
            #expect(pushes.simulator.inbox.entries().count == 1)
            let other = try await Self.test(api, id, session, key: "k2")
            #expect(other.headers["idempotency-replayed"] == nil)
            #expect(pushes.simulator.inbox.entries().count == 2)
            try await api.sql("delete from sineta.devices")
            #expect(try await Self.test(api, id, session, key: "k1").text == first.text)
            #expect(try await Self.test(api, id, session, key: "k3").status == 404)
        }
    }

    @Test("twins at once ring it once; the others are told the same, or to come again")
    func twins() async throws {
        try await SimulatedPushes.run { api, pushes in
            let session = try await api.account().session.access
            let id = try await Self.device(api, session)
            let replies = try await api.atOnce(10) {
                try await Self.test(api, id, session, key: "k1")
            }
            for reply in replies where reply.status != 200 {
                #expect(reply.code == "in_progress", "\(reply.text)")
                #expect(reply.headers["retry-after"] == "1")
            }
            #expect(Set(replies.filter { $0.status == 200 }.map(\.text)).count == 1)
            #expect(pushes.simulator.inbox.entries().count == 1)
        }
    }

    @Test("what is refused leaves the key free, and the limit counts what is tried")
    func refusedUnderKey() async throws {
        try await SimulatedPushes.run { api, pushes in
            let session = try await api.account().session.access
            let id = try await Self.device(api, session)
            pushes.next(500, "InternalServerError")
            #expect(try await Self.test(api, id, session, key: "k1").status == 502)
            let second = try await Self.test(api, id, session, key: "k1")
            #expect(second.status == 200)
            #expect(second.headers["idempotency-replayed"] == nil)
            for number in 0..<3 {
                #expect(try await Self.test(api, id, session, key: "l\(number)").status == 200)
            }
            #expect(try await Self.test(api, id, session, key: "m").code == "rate_limited")
            // That one was refused before anything began.
            #expect(try await api.count("select count(*) from sineta.idempotency_keys") == 4)
        }
    }

    @Test(
        "a process that dies in between holds the key for a minute, and rings no second time in it")
    func died() async throws {
        try await SimulatedPushes.run { api, pushes in
            let session = try await api.account().session.access
            let id = try await Self.device(api, session)
            #expect(try await Self.test(api, id, session, key: "k1").status == 200)
            // As it stands between the two transactions.
            try await api.sql("update sineta.idempotency_keys set status = 0, answer = null")
            let early = try await Self.test(api, id, session, key: "k1")
            #expect(early.code == "in_progress")
            #expect(early.headers["retry-after"] == "1")
            #expect(pushes.simulator.inbox.entries().count == 1)
            try await api.sql(
                "update sineta.idempotency_keys set created_at = now() - interval '61 seconds'")
            #expect(try await Self.test(api, id, session, key: "k1").status == 200)
            #expect(pushes.simulator.inbox.entries().count == 2)
            let third = try await Self.test(api, id, session, key: "k1")
            #expect(third.headers["idempotency-replayed"] == "true")
        }
    }
}
