import JSON
import Postgres
import Runtime
import Simulator
import Storage
import TestKit
import Testing
import Values

@testable import API

@Suite("Devices")
struct DeviceTests {
    /// Case G01.
    @Test("an iPhone's token in capitals, brackets or blanks is one token, kept in lower case")
    func capitals() async throws {
        try await TestAPI.run { api in
            let session = try await api.account().session.access
            let token = PushTokens.ios(7)
            let first = try await api.register(token.uppercased(), for: session)
            #expect(first.status == 201)
            for form in [token, " \(token)\\n", "<\(token.prefix(8)) \(token.dropFirst(8))>"] {
                let again = try await api.register(form, for: session)
                #expect(again.status == 200, "\(again.text)")
                #expect(try again.json["id"] == first.json["id"])
            }
            let rows = try await api.sql("select token from sineta.devices")
            #expect(try rows.map { try $0.text(0) } == [token])
            // Another session's; case counts.
            let android = try await api.account("bia").session.access
            let small = try await api.register("Abc", for: android, platform: "android")
            let large = try await api.register("aBC", for: android, platform: "android")
            #expect(small.status == 201 && large.status == 201)
        }
    }

    private static let malformedTokens = [
        ("ios", "abc"), ("ios", "abcdefabcdefab"), ("ios", "zz" + PushTokens.ios(1)),
        ("ios", String(repeating: "ab", count: 201)), ("ios", "ab cd ab cd ab cd ab cd"),
        ("android", "a b"), ("android", "é"), ("android", String(repeating: "é", count: 2049)),
    ]

    @Test("what is no token is refused by its field")
    func malformed() async throws {
        try await TestAPI.run { api in
            let session = try await api.account().session.access
            for (platform, token) in Self.malformedTokens {
                let reply = try await api.register(token, for: session, platform: platform)
                #expect(try reply.faults == ["/token format"], "\(token)")
            }
            let long = String(repeating: "a", count: 4097)
            let reply = try await api.register(long, for: session, platform: "android")
            #expect(try reply.faults == ["/token length"])
            #expect(try await api.devices(of: session) == [])
        }
    }

    /// Case G02, as far as registering goes; the pushes are in `PushCaseTests`.
    @Test("the next person on a phone takes its token over, under a new id")
    func move() async throws {
        try await TestAPI.run { api in
            let ana = try await api.account(in: TestAPI.north)
            let bia = try await api.account("bia", in: TestAPI.south)
            let first = try await api.register(PushTokens.ios(1), for: ana.session.access)
            let second = try await api.register(PushTokens.ios(1), for: bia.session.access)
            #expect(second.status == 200)
            #expect(try second.json["id"] != first.json["id"])
            #expect(try await api.devices(of: ana.session.access) == [])
            #expect(try await api.devices(of: bia.session.access).count == 1)
            let removed = try await api.send(
                "GET", "/v1/me/devices/removed", token: ana.session.access)
            #expect(try removed.json["data"]?.array?.first?["reason"] == "token_moved")
            #expect(try removed.json["data"]?.array?.first?["id"] == first.json["id"])
        }
    }

    /// Case G03.
    @Test("the same registration twenty times at once makes one device")
    func twenty() async throws {
        try await TestAPI.run { api in
            let session = try await api.account().session.access
            let replies = try await api.atOnce(20) {
                try await api.register(PushTokens.ios(1), for: session)
            }
            #expect(replies.count { $0.status == 201 } == 1)
            #expect(replies.count { $0.status == 200 } == 19)
            #expect(Set(try replies.map { try $0.json["id"]?.text }).count == 1)
            #expect(try await api.count("select count(*) from sineta.devices") == 1)
        }
    }

    @Test("another token of the same session replaces the first")
    func replaced() async throws {
        try await TestAPI.run { api in
            let session = try await api.account().session.access
            _ = try await api.register(PushTokens.ios(1), for: session)
            #expect(try await api.register(PushTokens.ios(2), for: session).status == 201)
            #expect(try await api.devices(of: session).count == 1)
            let removed = try await api.send("GET", "/v1/me/devices/removed", token: session)
            #expect(try removed.json["data"]?.array?.first?["reason"] == "token_replaced")
        }
    }

    @Test("absent fields keep their value, null clears it, and Android has no environment")
    func fields() async throws {
        try await TestAPI.run { api in
            let session = try await api.account().session.access
            let token = PushTokens.ios(1)
            func register(_ more: String) async throws -> JSONValue {
                try await api.register(token, for: session, more: more).json
            }
            let all = try await register(
                #","app_version":"1.2","device_name":"Phone","locale":"PT_br","environment":"sandbox","install_id":"i","capabilities":["rich"]"#
            )
            #expect(all["app_version"] == "1.2")
            #expect(all["locale"] == "pt-BR")
            #expect(all["environment"] == "sandbox")
            #expect(all["active"] == true && all["current"] == true)
            let kept = try await register("")
            #expect(kept["app_version"] == "1.2" && kept["environment"] == "sandbox")
            let cleared = try await register(
                #","app_version":null,"locale":null,"environment":null"#)
            #expect(cleared["app_version"] == .null && cleared["locale"] == .null)
            #expect(cleared["device_name"] == "Phone")
            #expect(cleared["environment"] == "production")
            let android = try await api.register(
                "token", for: session, platform: "android", more: #","environment":"sandbox""#)
            #expect(try android.json["environment"] == "production")
        }
    }

    /// Case G29, as far as registering goes.
    @Test("language tags are kept in their normal form, malformed ones refused")
    func locales() async throws {
        try await TestAPI.run { api in
            let session = try await api.account().session.access
            for (tag, kept) in [
                ("pt_BR", "pt-BR"), ("PT-br", "pt-BR"), ("pt", "pt"), ("EN-gb", "en-GB"),
                ("pt-latn-br", "pt-Latn-BR"), ("tlh", "tlh"), ("p", nil), ("pt BR", nil),
            ] {
                let reply = try await api.register(
                    PushTokens.ios(1), for: session, more: #","locale":"\#(tag)""#)
                if let kept {
                    #expect(try reply.json["locale"]?.text == kept)
                } else {
                    #expect(try reply.faults == ["/locale format"])
                }
            }
        }
    }

    /// Case G33.
    @Test("U+0000 is refused, and the connection serves the next request")
    func zero() async throws {
        try await TestAPI.run { api in
            let session = try await api.account().session.access
            for body in [
                #"{"platform":"ios","token":"\#(PushTokens.ios(1))","device_name":"a\u0000b"}"#,
                #"{"platform":"android","token":"abc\u0000"}"#,
                #"{"platform":"android","token":"abc","app_version":"\u0000"}"#,
            ] {
                let reply = try await api.send(
                    "POST", "/v1/me/devices", token: session, body: body)
                #expect(reply.code == "invalid_json")
            }
            #expect(try await api.devices(of: session) == [])
        }
    }

    /// Case G34.
    @Test("a malformed id in a path is what does not exist: no statement looks for it")
    func malformedIDs() async throws {
        let lines = Lock<[String]>([])
        let log = Log(level: .warning) { line in lines.withLock { $0.append(line) } }
        let metrics = Metrics()
        func statements() -> Int {
            let name = #"postgres_pool_acquire_seconds_count{pool="test"} "#
            let line = metrics.render().split(separator: "\n").first { $0.hasPrefix(name) }
            return line.flatMap { Int($0.dropFirst(name.count)) } ?? 0
        }
        try await TestAPI.run(log: log, poolMetrics: metrics) { api in
            // So that what is counted is seen to count.
            #expect(try await api.send("GET", "/v1/me", as: .owner).status == 200)
            let before = statements()
            #expect(before > 0)
            var bodies: Set<String> = []
            let short = String(TestAPI.north.description.dropLast())
            for (method, path, body) in [
                ("GET", "/v1/stores/not-a-uuid/me/push-preferences", nil),
                (
                    "PUT", "/v1/stores/\(short)/me/push-preferences",
                    #"{"is_enabled":true,"enabled_events":[]}"#
                ),
                ("DELETE", "/v1/me/devices/123", nil), ("DELETE", "/v1/me/sessions/%00", nil),
                ("GET", "/v1/stores/\(TestAPI.north)/me/mutes/order/1", nil),
            ] {
                let reply = try await api.send(
                    method, path, as: .owner, headers: ["X-Request-Id: same"], body: body)
                #expect(reply.status == 404, "\(path)")
                bodies.insert(reply.text)
            }
            #expect(bodies.count == 1)
            #expect(statements() == before)
        }
        #expect(lines.withLock { $0 } == [])
    }

    /// Case G36.
    @Test("a walk through devices gives each once, and ends", arguments: [1, 2, 7])
    func walk(_ size: Int) async throws {
        try await TestAPI.run { api in
            let account = try await api.account()
            // Ten share a millisecond, five of them a microsecond.
            try await api.sql(
                """
                insert into sineta.devices (id, user_id, session_id, platform, transport, app_id,
                  token, token_hash, registered_at)
                select gen_random_uuid(), $1, $2, 'android', 'fcm', 'default', n::text,
                  sha256(n::text::bytea), timestamptz '2026-11-30 12:00:00' + case
                    when n <= 5 then '0'::interval when n <= 10 then n * interval '1 microsecond'
                    else n * interval '1 second' end
                from generate_series(1, 25) n
                """, .id(account.id), .optionalUUID(UUID(account.session.id)))
            var seen: [String] = []
            var after = ""
            for _ in 0..<30 {
                let page = try await api.send(
                    "GET", "/v1/me/devices?limit=\(size)\(after)", token: account.session.access
                ).json
                seen += page["data"]?.array?.compactMap { $0["id"]?.text } ?? []
                // A newer one in mid-walk moves nothing.
                if after.isEmpty {
                    _ = try await api.register(PushTokens.ios(9), for: account.session.access)
                }
                guard let next = page["next"]?.text else { break }
                after = "&after=\(next)"
            }
            #expect(seen.count == 25)
            #expect(Set(seen).count == 25)
        }
    }

    /// Case G37.
    @Test("somebody else's device is not there, and a store's backend has none")
    func foreign() async throws {
        try await SimulatedPushes.run { api, pushes in
            let ana = try await api.account()
            let bia = try await api.account("bia")
            let device = try await api.register(PushTokens.ios(1), for: ana.session.access)
            let id = try #require(try device.json["id"]?.text)
            for (method, path) in [
                ("DELETE", "/v1/me/devices/\(id)"), ("POST", "/v1/me/devices/\(id)/test"),
            ] {
                let reply = try await api.send(method, path, token: bia.session.access)
                #expect(reply.code == "not_found")
            }
            let backend = try await api.send(
                "POST", "/v1/me/devices", as: .backend,
                body: #"{"platform":"android","token":"t"}"#)
            #expect(backend.code == "session_required")
            #expect(try await api.devices(of: ana.session.access) == [id])
            #expect(pushes.simulator.inbox.entries().isEmpty)
        }
    }

    @Test("an unregistered device is gone, and remembered with the reason")
    func remove() async throws {
        try await TestAPI.run { api in
            let session = try await api.account().session.access
            let device = try await api.register(PushTokens.ios(1), for: session)
            let id = try #require(try device.json["id"]?.text)
            let path = "/v1/me/devices/\(id)"
            #expect(try await api.send("DELETE", path, token: session).status == 204)
            #expect(try await api.send("DELETE", path, token: session).status == 404)
            let removed = try await api.send("GET", "/v1/me/devices/removed", token: session)
            let line = try removed.json["data"]?.array?.first
            #expect(line?["reason"] == "unregistered_by_user")
            #expect(line?["provider_reason"] == .null)
        }
    }
}
