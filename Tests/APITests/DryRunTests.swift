import Alerts
import Cryptography
import JSON
import Postgres
import Runtime
import TestKit
import Testing
import Values
import Worker

@testable import API

@Suite("A dry run")
struct DryRunTests {
    static let events: [JSONValue] = [
        TestEvents.order("created"), TestEvents.order("paid", customer: "\u{202E}Ana 🧵"),
        TestEvents.order("cancelled"), TestEvents.stock(3),
        TestEvents.message(String(repeating: "中🛒", count: 1000)),
        TestEvents.event(
            "conversations.started",
            ["conversation_id": .text(TestEvents.conversation), "customer_name": "Bia"]),
        TestEvents.event(
            "conversations.handed_over",
            [
                "conversation_id": .text(TestEvents.conversation), "from": "x",
                "google.x": 1, "message_type": true,
            ]),
    ]

    @Test("gives the bytes that the real run sends, on both platforms", arguments: events)
    func sameBytes(_ event: JSONValue) async throws {
        try await TestAPI.run { api in
            try await api.phone(of: .owner, "ios", locale: "pt-BR")
            try await api.phone(of: .owner, "android", locale: "en-GB")
            _ = try await api.send(
                "PUT", "\(TestAPI.norths)/me/push-preferences", as: .owner,
                body: Self.everything)
            let dry = try await api.post(event, query: "?dry_run=true")
            let alertID = try #require(dry["alert_id"]?.text)
            let phones = TestPhones()
            var real = JSONValue.null
            try await api.working(phones) {
                real = try await api.post(event)
                try await api.settle()
            }
            let requests = dry.requests
            #expect(requests.count == 2)
            let now = try #require(phones.pushes.first).push.occurredAt
            let sent = phones.pushes.map { Self.request($0, now) }
            #expect(sent.count == 2)
            let realID = try #require(real["alert_id"]?.text)
            #expect(
                Set(requests.map { Self.withoutIDs($0, alertID) })
                    == Set(sent.map { Self.withoutIDs($0, realID) }))
            let decided = try await api.alert(realID, as: .owner)
            let reasons = decided["members"]?.array?.map { $0["reason"] }
            #expect(dry["members"]?.array?.map { $0["reason"] } == reasons)
        }
    }

    @Test("stores nothing and rings nobody, however often")
    func nothing() async throws {
        try await TestAPI.run { api in
            try await api.phone(of: .owner)
            for _ in 1...3 {
                let line = try await api.post(
                    TestEvents.order(id: "same"), query: "?dry_run=true")
                #expect(line["status"] == "accepted")
                #expect(line.requests.count == 1)
            }
            #expect(
                try await api.count(
                    """
                    select (select count(*) from sineta.events)
                      + (select count(*) from sineta.alerts) + (select count(*) from sineta.jobs)
                      + (select count(*) from sineta.orders)
                      + (select count(*) from sineta.fair_tags)
                    """) == 0)
            let real = try await api.post(TestEvents.order(id: "same"))
            #expect(real["status"] == "accepted")
            let again = try await api.post(TestEvents.order(id: "same"), query: "?dry_run=true")
            #expect(again["status"] == "duplicate")
            let other = try await api.post(TestEvents.order(), query: "?dry_run=true")
            #expect(other["reason"] == "already_raised")
            #expect(other["members"] == [])
        }
    }

    @Test("names people to those alone who may read alerts, and tokens to nobody")
    func names() async throws {
        try await TestAPI.run { api in
            try await api.phone(of: .owner, "android")
            let backend = try await api.post(TestEvents.order(), query: "?dry_run=true")
            #expect(backend["members"]?.array?.allSatisfy { $0["user"]?["name"] == .null } == true)
            let owner = try await api.post(
                TestEvents.order(), query: "?dry_run=true", as: .owner)
            #expect(owner.member("owner") != nil)
            let token = try #require(try await api.texts("select token from sineta.devices").first)
            let mark = Hex.encode(SHA256.hash(Array(token.utf8)).prefix(4))
            let body = owner.requests.first?["body"]?.text ?? ""
            #expect(body.hasPrefix(#"{"message":{"token":"\#(mark)","#), "\(owner)")
            #expect(!String(decoding: owner.encoded, as: UTF8.self).contains(token))
        }
    }

    @Test("people post nothing: only what would become of it is theirs to ask")
    func people() async throws {
        try await TestAPI.run { api in
            let body = String(decoding: TestEvents.order().encoded, as: UTF8.self)
            let path = "\(TestAPI.norths)/events"
            for (who, dry, real) in [
                (TestAPI.Who.owner, 200, 403), (.staff, 403, 403), (.stranger, 404, 404),
                (.otherBackend, 404, 404), (.nobody, 401, 401),
            ] {
                let tried = try await api.send(
                    "POST", "\(path)?dry_run=true", as: who, body: body)
                #expect(tried.status == dry, "\(who)")
                let posted = try await api.send("POST", path, as: who, body: body)
                #expect(posted.status == real, "\(who)")
            }
            #expect(try await api.count("select count(*) from sineta.events") == 0)
        }
    }

    @Test(
        "asked for by another word posts nothing, however well the token is known",
        arguments: ["maybe", "1", "True", ""])
    func mistyped(_ word: String) async throws {
        try await TestAPI.run { api in
            _ = try await api.post(TestEvents.order(id: "first"))
            let refused = try await api.send(
                "POST", "\(TestAPI.norths)/events?dry_run=\(word)", as: .backend,
                body: String(decoding: TestEvents.order(id: "second").encoded, as: UTF8.self))
            #expect(refused.status == 422)
            #expect(refused.code == "validation_failed")
            #expect(try await api.count("select count(*) from sineta.events") == 1)
        }
    }

    @Test("of a batch answers each item, faulty ones too")
    func batch() async throws {
        try await TestAPI.run { api in
            let answer = try await api.post(
                ["events": [TestEvents.order("created"), ["id": "x"], TestEvents.order("paid")]],
                query: "?dry_run=true")
            let lines = answer["events"]?.array ?? []
            #expect(lines.map { $0["status"] } == ["accepted", "refused", "accepted"])
            #expect(lines[2]["members"]?.array?.count == 5)
        }
    }

    private static let everything = String(
        decoding: JSONValue.object(
            JSONObject([
                ("is_enabled", true),
                ("enabled_events", .array(AlertKind.listed.map { .text($0.name) })),
            ])
        ).encoded, as: UTF8.self)

    /// What the senders make of a push: the token as its mark, the credential left out.
    private static func request(_ ready: ReadyPush, _ now: Timestamp) -> JSONValue {
        let token = ready.token.reveal()
        let mark = Hex.encode(SHA256.hash(Array(token.utf8)).prefix(4))
        var headers = JSONObject()
        if !token.hasPrefix("android:") {
            let payload = APNsPayload(ready.push, bundleID: "com.example")
            for header in payload.headers { headers[header.name] = .text(header.value) }
            return [
                "provider": "apns", "method": "POST",
                "path": .text(APNsPayload.path(token: mark)), "headers": .object(headers),
                "body": .text(String(decoding: payload.body, as: UTF8.self)),
            ]
        }
        headers["content-type"] = "application/json"
        let payload = FCMPayload(ready.push, token: mark, now: now)
        return [
            "provider": "fcm", "method": "POST",
            "path": "/v1/projects/shop-1234/messages:send", "headers": .object(headers),
            "body": .text(String(decoding: payload.body, as: UTF8.self)),
        ]
    }

    /// Each run makes ids of its own, for the alert and for the push; the dry run came earlier.
    private static func withoutIDs(_ request: JSONValue, _ alert: String) -> String {
        var request = request.object ?? JSONObject()
        var headers = request["headers"]?.object ?? JSONObject()
        if let id = headers["apns-id"]?.text, UUID(id) != nil { headers["apns-id"] = "ID" }
        if headers["apns-expiration"] != nil { headers["apns-expiration"] = "TIME" }
        request["headers"] = .object(headers)
        return String(decoding: JSONValue.object(request).encoded, as: UTF8.self)
            .split(separator: alert, omittingEmptySubsequences: false).joined(separator: "ALERT")
    }
}

extension JSONValue {
    /// The requests of a dry run's line.
    fileprivate var requests: [JSONValue] {
        (self["members"]?.array ?? []).flatMap { member in
            (member["devices"]?.array ?? []).compactMap { device in
                device["request"].flatMap { $0 == .null ? nil : $0 }
            }
        }
    }
}
