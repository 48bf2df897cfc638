import JSON
import Postgres
import Storage
import TestKit
import Testing
import Values

@testable import API

@Suite("What operators see")
struct OverviewTests {
    @Test("the overview tells depth, acceptance and closed lanes with the reason")
    func overview() async throws {
        try await TestAPI.run { api in
            let graves = try await Graveyard(api)
            try await graves.bury()
            _ = try await graves.run(
                """
                insert into sineta.jobs (id, store_id, kind, lane, wake_at, lease_id, created_at)
                values
                  (gen_random_uuid(), $1, 'push.deliver', 10, null, null, now() - interval '9 s'),
                  (gen_random_uuid(), $1, 'push.deliver', 10, now() + interval '1 m', null, now()),
                  (gen_random_uuid(), $1, 'push.deliver', 10, now() + interval '30 s',
                    gen_random_uuid(), now())
                """, .id(TestAPI.north))
            _ = try await graves.run(
                """
                insert into sineta.lane_states
                  (credential, environment, state, since, reason, next_probe_at)
                values ('apns', 'production', 'paused', '2026-01-02 03:04:05Z',
                  'InvalidProviderToken', '2026-01-02 03:05:05Z')
                """)
            _ = try await graves.run(
                """
                insert into sineta.deliveries (day, store_id, alert_id, device_id, id, user_id,
                  raised_at, attempts, outcome, provider, finished_at)
                select (now() at time zone 'UTC')::date, $1, gen_random_uuid(),
                  gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), now(), 1, 'accepted',
                  case when n % 2 = 0 then 'apns' else 'fcm' end, now() - n * interval '1 s'
                from generate_series(0, 119) n
                """, .id(TestAPI.north))
            let value = try await api.send("GET", "/v1/ops/overview", as: .operators).json
            #expect(
                value.object?.keys
                    == ["jobs", "accepted_per_second", "accepted_by_provider", "lanes"])
            let jobs = try #require(value["jobs"]?.array)
            #expect(jobs.count == 1)
            let oldest = try #require(jobs[0]["oldest_due_seconds"])
            #expect(
                jobs[0] == [
                    "kind": "push.deliver", "lane": "push.deliver/apns.production/urgent",
                    "ready": 1, "scheduled": 1, "leased": 1, "dead": 1,
                    "oldest_due_seconds": oldest,
                ])
            guard case .real(let seconds) = oldest else {
                Issue.record("\(oldest)")
                return
            }
            #expect((9..<60).contains(seconds))
            #expect(value["accepted_per_second"]?["5m"] == .real(120.0 / 300))
            #expect(value["accepted_by_provider"]?["fcm"]?["5m"] == .real(60.0 / 300))
            let lanes = try #require(value["lanes"]?.array)
            #expect(lanes.count == 6)
            #expect(
                lanes[0] == [
                    "lane": "push.deliver/apns.production/urgent", "provider": "apns",
                    "state": "paused", "since": "2026-01-02T03:04:05Z",
                    "reason": "InvalidProviderToken",
                    "advice": lanes[0]["advice"] ?? .null,
                    "next_probe_at": "2026-01-02T03:05:05Z",
                ])
            #expect(lanes[0]["advice"]?.text?.contains("APNS_KEY_ID") == true)
            #expect(lanes[5]["state"] == "open" && lanes[5]["since"] == .null)
        }
    }

    @Test("stores show what waits for them and the share that they may claim")
    func stores() async throws {
        try await TestAPI.run { api in
            let graves = try await Graveyard(api)
            for store in [TestAPI.north, TestAPI.north, TestAPI.south] {
                _ = try await graves.run(
                    """
                    insert into sineta.jobs (store_id, kind, lane, wake_at)
                    values ($1, 'push.deliver', 10, null)
                    """, .id(store))
            }
            let reply = try await api.send("GET", "/v1/ops/stores", as: .operators)
            #expect(
                try reply.json == [
                    "data": [
                        Self.load(TestAPI.north, "North", waiting: 2),
                        Self.load(TestAPI.south, "South", waiting: 1),
                    ], "next": .null,
                ])
        }
    }

    private static func load(_ store: StoreID, _ name: String, waiting: Int64) -> JSONValue {
        [
            "store_id": .text(store.description), "name": .text(name),
            "waiting": .integer(waiting), "ended_last_5m": 0, "share": .real(0),
            "fair_share": .real(0.5),
        ]
    }

    @Test("the stream sends the overview again and ends with the session")
    func stream() async throws {
        try await TestAPI.run { api in
            let socket = try RawSocket(port: api.port)
            let token = try #require(api.credentials[.operators])
            await socket.send(
                "GET /v1/ops/stream HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer \(token)\r\n\r\n"
            )
            let head = await socket.read(until: "event: overview\ndata: {\"jobs\":[")
            #expect(head.contains("HTTP/1.1 200"))
            #expect(head.lowercased().contains("content-type: text/event-stream"))
            _ = await socket.read(until: "event: overview")
            try await api.database.run(
                """
                update sineta.sessions set ended_at = now() where user_id in (
                  select id from sineta.users where is_operator)
                """)
            let rest = await socket.read(until: "\r\n0\r\n\r\n", within: .seconds(10))
            #expect(rest.contains("event: end\ndata: {\"code\":\"session_ended\"}\n\n"))
            #expect(rest.hasSuffix("\r\n0\r\n\r\n"))
        }
    }
}
