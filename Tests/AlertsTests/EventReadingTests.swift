import Alerts
import JSON
import Testing
import Values

@Suite("Reading events")
struct EventReadingTests {
    @Test("a complete event of every type is read", arguments: EventType.all)
    func complete(type: EventType) throws {
        let data =
            Fixtures.data[type.name]
            ?? #"{"conversation_id":"\#(Fixtures.conversation)","bot_enabled":true}"#
        let event = try Fixtures.event(type.name, data)
        #expect(event.type == type)
        #expect(event.content != nil)
        #expect(try Event.read(event.json) == event)
    }

    static let faulty: [(String, [String])] = [
        ("[]", [" type"]), ("{}", ["/id required", "/type required", "/data required"]),
        (
            #"{"id":"","type":"orders.eaten","occurred_at":"yesterday","data":[]}"#,
            ["/id length", "/type unknown_value", "/occurred_at format", "/data type"]
        ),
        (
            #"{"id":7,"type":7,"occurred_at":7,"data":{}}"#,
            ["/id type", "/type type", "/occurred_at type"]
        ),
        (
            #"{"id":"e","type":"orders.paid","data":{}}"#,
            ["/data/order_id required", "/data/number required", "/data/total required"]
        ),
        (
            #"""
            {"id":"e","type":"orders.paid","data":{"order_id":"1042","number":"",
             "total":{"amount":12.5,"currency":"brl"},"customer_name":7,"customer_id":"x",
             "channel":"fax"}}
            """#,
            [
                "/data/order_id format", "/data/number length", "/data/total/amount type",
                "/data/total/currency format", "/data/customer_name type",
                "/data/customer_id format", "/data/channel unknown_value",
            ]
        ),
        (
            #"""
            {"id":"e","type":"orders.paid","data":{"order_id":null,"number":null,
             "total":{"amount":"1e5"}}}
            """#,
            [
                "/data/order_id type", "/data/number type", "/data/total/amount format",
                "/data/total/currency required",
            ]
        ),
        (
            #"""
            {"id":"e","type":"inventory.stock_changed","data":{"product_id":"x","variant_id":"x",
             "location_id":"x","product_name":"p","quantity":3.5}}
            """#,
            [
                "/data/product_id format", "/data/variant_id format", "/data/location_id format",
                "/data/quantity type",
            ]
        ),
        (
            #"""
            {"id":"e","type":"conversations.message_received","data":{
             "conversation_id":"0199c0b1-0000-7000-8000-000000000001","bot_enabled":"no",
             "status":"asleep","message":{"id":"","kind":"smell","text":[]}}}
            """#,
            [
                "/data/bot_enabled type", "/data/status unknown_value", "/data/message/id length",
                "/data/message/kind unknown_value", "/data/message/text type",
            ]
        ),
        (
            #"{"id":"e","type":"conversations.assigned","data":{"conversation_id":"x"}}"#,
            ["/data/conversation_id format", "/data/assignee_id required"]
        ),
        (
            #"""
            {"id":"e","type":"conversations.bot_changed","data":{
             "conversation_id":"0199c0b1-0000-7000-8000-000000000001","bot_enabled":null}}
            """#,
            ["/data/bot_enabled type"]
        ),
    ]

    @Test("every fault is named at once, with pointer and code", arguments: faulty)
    func faults(text: String, expected: [String]) throws {
        let value = try Fixtures.parse(text)
        #expect { try Event.read(value) } throws: { error in
            (error as? FieldFaults)?.faults.map { "\($0.pointer) \($0.code.rawValue)" } == expected
        }
        #expect { try Event.read(value, at: "/events/3") } throws: { error in
            (error as? FieldFaults)?.faults.map { "\($0.pointer) \($0.code.rawValue)" }
                == expected.map { "/events/3\($0 == " type" ? " type" : $0)" }
        }
    }

    @Test(
        "bounds hold on both sides",
        arguments: [
            ("number", 40, 41), ("customer_name", 200, 201), ("reason", 2000, 2001),
        ])
    func lengths(field: String, good: Int, bad: Int) throws {
        func event(_ length: Int) throws -> Event {
            // A code point beyond the first plane counts as one.
            let text = String(repeating: "🛒", count: length)
            let number = field == "number" ? text : "1"
            let other = field == "number" ? "" : #","\#(field)":"\#(text)""#
            return try Fixtures.event(
                "orders.cancelled",
                #"{"order_id":"\#(Fixtures.order)","number":"\#(number)","total":{"amount":"1","currency":"BRL"}\#(other)}"#
            )
        }
        _ = try event(good)
        #expect(throws: FieldFaults.self) { try event(bad) }
    }

    @Test(
        "quantities are whole, may be negative, and fit the column",
        arguments: [
            ("-5", true), ("2147483647", true), ("2147483648", false), ("-2147483649", false),
            ("3.0", false), ("\"3\"", false),
        ])
    func quantity(text: String, isGood: Bool) throws {
        let data = try #require(Fixtures.data["inventory.stock_changed"])
            .replacing("\"quantity\":3", with: "\"quantity\":\(text)")
        #expect(((try? Fixtures.event("inventory.stock_changed", data)) != nil) == isGood)
    }

    @Test("ids come out in lower case, times in UTC, unknown fields not at all")
    func normalised() throws {
        let event = try Event.read(
            Fixtures.parse(
                #"""
                {"id":"order-1042-paid","type":"conversations.read","extra":1,
                 "occurred_at":"2026-10-28T06:14:03.9-03:00","data":{"google.x":true,"from":"me",
                 "read_at":"2026-10-28T06:00:00-03:00",
                 "conversation_id":"0199C0B1-0000-7000-8000-00000000000A"}}
                """#))
        #expect(event.occurredAt == Fixtures.time)
        #expect(
            String(decoding: JSONValue.object(event.data).encoded, as: UTF8.self)
                == #"{"conversation_id":"0199c0b1-0000-7000-8000-00000000000a","read_at":"2026-10-28T09:00:00Z"}"#
        )
    }

    @Test("absent is unchanged, null is none")
    func absentOrNull() throws {
        let id = Fixtures.conversation
        func content(_ more: String) throws -> ConversationEvent {
            let event = try Fixtures.event(
                "conversations.started", #"{"conversation_id":"\#(id)"\#(more)}"#)
            guard case .conversation(let content)? = event.content else {
                throw FieldFaults([])
            }
            return content
        }
        let absent = try content("")
        let null = try content(
            #","assignee_id":null,"customer_name":null,"bot_enabled":null,"message":null"#)
        let given = try content(
            #","assignee_id":"\#(id)","customer_name":"Ana","bot_enabled":false"#)
        #expect(absent.assigneeID == .unchanged && null.assigneeID == .none)
        #expect(absent.customerName == .unchanged && null.customerName == .none)
        #expect(absent.botEnabled == .unchanged && null.botEnabled == .none)
        #expect(given.assigneeID == .value(id) && given.botEnabled == .value(false))
        #expect(absent.customerName.applied(to: "Bia") == "Bia")
        #expect(null.customerName.applied(to: "Bia") == nil)
        #expect(given.customerName.applied(to: "Bia") == "Ana")
        #expect(null.message == nil)
    }

    @Test(
        "an event counts from its own time, never from later than the receipt",
        arguments: [
            (nil, 0), ("2026-10-28T09:14:03.9Z", 0), ("2030-01-01T00:00:00Z", 0),
            ("2026-10-28T09:14:00.9Z", -3),
        ] as [(String?, Int64)])
    func time(occurredAt: String?, seconds: Int64) throws {
        let event = Event(
            id: "e", type: .ordersPaid, occurredAt: occurredAt.flatMap { Timestamp(rfc3339: $0) },
            data: JSONObject())
        #expect(
            event.time(receivedAt: Fixtures.time) == Fixtures.time + .seconds(seconds))
    }

    @Test("the caller's id has 1 to 200 bytes")
    func callerID() throws {
        func read(_ id: String) throws -> Event {
            try Event.read([
                "id": .text(id), "type": "conversations.closed",
                "data": ["conversation_id": .text(Fixtures.conversation)],
            ])
        }
        _ = try read(String(repeating: "é", count: 100))
        #expect(throws: FieldFaults.self) { try read(String(repeating: "é", count: 100) + "x") }
    }
}
