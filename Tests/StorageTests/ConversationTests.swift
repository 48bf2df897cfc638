import Alerts
import JSON
import Postgres
import Storage
import TestKit
import Testing
import Values

@Suite("Conversations")
struct ConversationTests {
    static let conversation = UUID.v7().description

    /// Events by short words: what happened, seconds after the start, and more fields.
    struct Step: Sendable {
        let type: EventType
        let second: Int
        var data: JSONObject = JSONObject()

        init(_ type: EventType, _ second: Int, _ data: KeyValuePairs<String, JSONValue> = [:]) {
            self.type = type
            self.second = second
            self.data = JSONObject(data.map { ($0.key, $0.value) })
        }

        static func message(_ id: String, _ second: Int) -> Step {
            Step(
                .conversationsMessageReceived, second,
                ["message": ["id": .text(id), "kind": "text", "text": .text(id)]])
        }
    }

    static let start = Timestamp.now() - .seconds(600)

    static func post(_ world: World, _ shop: Shop, _ steps: [Step]) async throws -> [String?] {
        var reasons: [String?] = []
        for (number, step) in steps.enumerated() {
            var data = step.data
            data["conversation_id"] = .text(conversation)
            reasons.append(
                try await world.post(
                    shop,
                    World.event(
                        shop, step.type, "e\(number)", at: start + .seconds(step.second),
                        .object(data))
                ).reason)
        }
        return reasons
    }

    static func line(_ world: World, _ shop: Shop) async throws -> ConversationLine? {
        try await world.run(shop.owner.credential) { transaction in
            try Conversations.find(shop.id, conversation, in: transaction)
        }
    }

    @Test("every order of arrival ends in the same conversation")
    func anyOrder() async throws {
        let steps: [Step] = [
            Step(.conversationsStarted, 0, ["customer_name": "Ana"]),
            .message("m1", 10), .message("m2", 20),
            Step(.conversationsRead, 15), Step(.conversationsClosed, 30), .message("m3", 40),
            Step(.conversationsBotChanged, 50, ["bot_enabled": true]),
        ]
        try await World.run { world in
            let shop = try await world.shop()
            _ = try await Self.post(world, shop, steps)
            let expected = try await Self.line(world, shop)
            #expect(expected?.unread == 2)
            #expect(expected?.status == "open")
            #expect(expected?.lastMessage?.id == "m3")
            #expect(expected?.botEnabled == true)
            var generator = SystemRandomNumberGenerator()
            for _ in 0..<6 {
                let shop = try await world.shop()
                let order = steps.shuffled(using: &generator)
                _ = try await Self.post(world, shop, order)
                let line = try await Self.line(world, shop)
                #expect(line == expected, "\(order.map { "\($0.type) \($0.second)" })")
            }
        }
    }

    @Test("one alert per message, also across started and message_received; none under the bot")
    func once() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let reasons = try await Self.post(
                world, shop,
                [
                    Step(.conversationsBotChanged, 0, ["bot_enabled": true]),
                    .message("m1", 1),
                    Step(.conversationsHandedOver, 2),
                    .message("m1", 3),
                    Step(
                        .conversationsStarted, 4,
                        ["message": ["id": "m1", "kind": "text", "text": "x"]]),
                    Step(.conversationsStarted, 5), Step(.conversationsStarted, 6),
                    Step(.conversationsAssigned, 7, ["assignee_id": .null]),
                    Step(
                        .conversationsAssigned, 8,
                        ["assignee_id": .text(shop.owner.id.description)]),
                    Step(.conversationsClosed, 9), Step(.conversationsReopened, 10),
                    Step(.conversationsRead, 11),
                ])
            #expect(
                reasons == [
                    "no_alert", "bot_on", nil, nil, "already_raised", nil, "already_raised",
                    "no_assignee", nil, "no_alert", "no_alert", "no_alert",
                ])
            let line = try await Self.line(world, shop)
            #expect(line?.assignee?.id == shop.owner.id)
            #expect(line?.unread == 0)
        }
    }
}
