import Alerts
import JSON
import Postgres
import Runtime
import Simulator
import Storage
import TestKit
import Testing
import Values

@testable import API

/// What an act of a person does to pushes, through a real worker and its senders to the simulator.
@Suite("Pushes after an act")
struct PushCaseTests {
    private static let first = PushTokens.ios(1)
    private static let second = PushTokens.ios(2)

    /// Posts an order that is paid, in one of the two stores.
    private static func pay(_ api: TestAPI, in store: StoreID, _ number: Int) async throws {
        let order = "0199b7e2-0000-7000-8000-00000000000\(number)"
        let reply = try await api.send(
            "POST", "/v1/stores/\(store)/events",
            as: store == TestAPI.north ? .backend : .otherBackend,
            body: String(decoding: TestEvents.order(order: order).encoded, as: UTF8.self))
        #expect(reply.status == 202, "\(reply.text)")
    }

    /// Has the first attempt at a push fail and leaves the push waiting for its second.
    private static func leaveWaiting(
        _ api: TestAPI, _ pushes: SimulatedPushes, _ act: () async throws -> Void
    ) async throws {
        pushes.next(503, "ServiceUnavailable")
        try await api.working(pushes) {
            try await act()
            #expect(
                await pushes.simulator.inbox.wait(forRequests: 1, until: .after(.seconds(60))))
        }
        #expect(
            try await api.count(
                "select count(*) from sineta.jobs where kind = 'push.deliver' and attempts = 1")
                == 1)
        // Due at once, so that nobody waits for the backoff.
        try await api.sql("update sineta.jobs set wake_at = now()")
    }

    /// The stores whose alerts a token got, in order.
    private static func stores(
        _ pushes: SimulatedPushes, _ token: String
    ) -> [String] {
        pushes.simulator.inbox.entries(token: token).filter { $0.answered?.status == 200 }
            .map { $0.json?["store_id"]?.text ?? "-" }
    }

    /// Case G02.
    @Test(
        "who takes over a phone hears their own store alone, and nothing that waited for the other")
    func takeover() async throws {
        try await SimulatedPushes.run { api, pushes in
            let ana = try await api.account(in: TestAPI.north)
            let bia = try await api.account("bia", in: TestAPI.south)
            _ = try await api.register(Self.first, for: ana.session.access)
            try await Self.leaveWaiting(api, pushes) {
                try await Self.pay(api, in: TestAPI.north, 1)
            }
            #expect(try await api.register(Self.first, for: bia.session.access).status == 200)
            try await api.working(pushes) {
                try await Self.pay(api, in: TestAPI.north, 2)
                try await Self.pay(api, in: TestAPI.south, 3)
                try await api.settle()
            }
            #expect(Self.stores(pushes, Self.first) == ["\(TestAPI.south)"])
        }
    }

    /// Case G26.
    @Test("after a password change the own session hears, and no other, whatever waited for it")
    func password() async throws {
        try await SimulatedPushes.run { api, pushes in
            let ana = try await api.account(in: TestAPI.north)
            let other = try await api.signIn(ana.email)
            _ = try await api.register(Self.second, for: other.access)
            try await Self.leaveWaiting(api, pushes) {
                try await Self.pay(api, in: TestAPI.north, 1)
            }
            _ = try await api.register(Self.first, for: ana.session.access)
            let change = try await api.send(
                "POST", "/v1/me/password", token: ana.session.access,
                body:
                    #"{"current_password":"\#(Account.password)","new_password":"another password"}"#
            )
            #expect(change.status == 204)
            try await api.working(pushes) {
                try await Self.pay(api, in: TestAPI.north, 2)
                try await api.settle()
            }
            #expect(Self.stores(pushes, Self.first) == ["\(TestAPI.north)"])
            #expect(Self.stores(pushes, Self.second) == [])
        }
    }

    /// Case G28.
    @Test("who wants nothing of a store hears none of its kinds, and another store's as before")
    func nothing() async throws {
        try await SimulatedPushes.run { api, pushes in
            let ana = try await api.account(in: TestAPI.north, role: .owner)
            try await api.sql(
                """
                insert into sineta.members (store_id, user_id, role, joined_at)
                values ($1, $2, 'owner', now())
                """, .id(TestAPI.south), .id(ana.id))
            _ = try await api.register(Self.first, for: ana.session.access)
            let path = "\(TestAPI.norths)/me/push-preferences"
            let everything: JSONValue = [
                "is_enabled": true,
                "enabled_events": .array(AlertKind.listed.map { .text($0.name) }),
            ]
            for (body, heard) in [
                (everything, Set(AlertKind.listed.map(\.name))),
                (["is_enabled": true, "enabled_events": []], []),
            ] {
                let saved = try await api.send(
                    "PUT", path, token: ana.session.access,
                    body: String(decoding: body.encoded, as: UTF8.self))
                #expect(saved.status == 200, "\(saved.text)")
                pushes.simulator.inbox.empty()
                try await api.sql("delete from sineta.stock")
                try await api.working(pushes) {
                    for event in Self.everyKind(for: ana.id) { try await api.post(event) }
                    try await Self.pay(api, in: TestAPI.south, heard.isEmpty ? 4 : 5)
                    try await api.settle()
                }
                let bodies = pushes.simulator.inbox.entries(token: Self.first).compactMap(\.json)
                let north = bodies.filter { $0["store_id"]?.text == "\(TestAPI.north)" }
                #expect(Set(north.compactMap { $0["kind"]?.text }) == heard)
                #expect(Self.stores(pushes, Self.first).contains("\(TestAPI.south)"))
            }
        }
    }

    /// One event that raises each kind, about things of their own.
    private static func everyKind(for assignee: UserID) -> [JSONValue] {
        func conversation(_ type: String, _ more: JSONValue = [:]) -> JSONValue {
            var data = JSONObject([
                ("conversation_id", .text("\(UUID.v7())")), ("customer_name", "Bia"),
            ])
            for member in more.object ?? JSONObject() { data[member.key] = member.value }
            return TestEvents.event("conversations.\(type)", .object(data))
        }
        return [
            TestEvents.order("created", order: "\(UUID.v7())"),
            TestEvents.order("paid", order: "\(UUID.v7())"),
            TestEvents.order("cancelled", order: "\(UUID.v7())"), TestEvents.stock(3),
            conversation("started"),
            conversation(
                "message_received",
                ["message": ["id": .text("\(UUID.v7())"), "kind": "text", "text": "Oi"]]),
            conversation("handed_over"),
            conversation("assigned", ["assignee_id": .text("\(assignee)")]),
        ]
    }
}
