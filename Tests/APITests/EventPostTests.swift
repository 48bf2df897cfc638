import Alerts
import JSON
import Postgres
import Runtime
import TestKit
import Testing
import Values

@testable import API

@Suite("Posted events")
struct EventPostTests {
    private static func post(
        _ api: TestAPI, _ body: JSONValue, headers: [String] = []
    ) async throws -> RawReply {
        try await api.send(
            "POST", "\(TestAPI.norths)/events", as: .backend, headers: headers,
            body: String(decoding: body.encoded, as: UTF8.self))
    }

    @Test("a key gives the first answer again, and the event is stored and raised once")
    func replay() async throws {
        try await TestAPI.run { api in
            let key = ["Idempotency-Key: k1"]
            let event = TestEvents.order()
            let first = try await Self.post(api, event, headers: key)
            #expect(first.status == 202)
            #expect(try first.json["status"] == "accepted")
            #expect(first.headers["idempotency-replayed"] == nil)
            let second = try await Self.post(api, event, headers: key)
            #expect(second.status == 202)
            // Without a key the second would be answered as a duplicate.
            #expect(second.text == first.text)
            #expect(second.headers["idempotency-replayed"] == "true")
            #expect(try await Self.post(api, event).json["status"] == "duplicate")
            #expect(try await api.count("select count(*) from sineta.events") == 1)
            #expect(try await api.count("select count(*) from sineta.jobs") == 1)
        }
    }

    @Test("a key with other events is 422, one that is none as well, and neither stores anything")
    func mismatch() async throws {
        try await TestAPI.run { api in
            let key = ["Idempotency-Key: k1"]
            #expect(try await Self.post(api, TestEvents.order(), headers: key).status == 202)
            let other = try await Self.post(api, TestEvents.stock(3), headers: key)
            #expect(other.status == 422)
            #expect(other.code == "idempotency_mismatch")
            let malformed = try await Self.post(
                api, TestEvents.stock(3), headers: ["Idempotency-Key: a b"])
            #expect(try malformed.faults == ["/Idempotency-Key length"])
            #expect(try await api.count("select count(*) from sineta.events") == 1)
        }
    }

    @Test(
        "a batch is 200 with a line per item in order, each taken or refused on its own",
        arguments: [[], ["Idempotency-Key: k1"]])
    func batch(_ headers: [String]) async throws {
        try await TestAPI.run { api in
            let paid = TestEvents.order(id: "e1")
            let body: JSONValue = [
                "events": [
                    paid, ["id": "e2", "type": "orders.unheard_of", "data": [:]],
                    TestEvents.stock(3), paid, "no event",
                ]
            ]
            let reply = try await Self.post(api, body, headers: headers)
            #expect(reply.status == 200, "\(reply.text)")
            let lines = try #require(try reply.json["events"]?.array)
            #expect(
                lines.map { $0["status"]?.text } == [
                    "accepted", "refused", "accepted", "duplicate", "refused",
                ])
            #expect(lines[0]["id"] == "e1")
            #expect(lines[0]["event_id"] == lines[0]["alert_id"])
            #expect(lines[3]["event_id"] == lines[0]["event_id"])
            #expect(lines[1]["id"] == "e2")
            #expect(
                lines[1]["errors"] == [
                    [
                        "pointer": "/events/1/type", "code": "unknown_value",
                        "message": .text(lines[1]["errors"]?.array?.first?["message"]?.text ?? ""),
                    ]
                ])
            #expect(lines[4]["id"] == .null)
            #expect(
                try await api.texts("select external_id from sineta.events order by external_id")
                    .count == 2)
        }
    }

    @Test("over the store's limit is 429, says when, and stores nothing; another store's are taken")
    func limit() async throws {
        let clock = ManualClock()
        let limits = Services.Limits(requestsPerMinute: 1, eventsPerSecond: 2, eventsBurst: 5)
        try await TestAPI.run(limits: limits, rates: RateLimiter(now: clock.now)) { api in
            func batch(_ count: Int) -> JSONValue {
                ["events": .array((0..<count).map { _ in TestEvents.order(order: "\(UUID.v7())") })]
            }
            let first = try await Self.post(api, batch(4))
            #expect(first.status == 200)
            #expect(first.headers["ratelimit-policy"] == "\"events\";q=5;w=2")
            #expect(first.headers["ratelimit"] == "\"events\";r=1;t=2")
            #expect(first.headers["retry-after"] == nil)
            let refused = try await Self.post(api, batch(4))
            #expect(refused.status == 429)
            #expect(refused.code == "rate_limited")
            #expect(refused.headers["retry-after"] == "2")
            #expect(refused.headers["ratelimit-policy"] == "\"events\";q=5;w=2")
            #expect(refused.headers["ratelimit"] == "\"events\";r=1;t=2")
            #expect(try await api.count("select count(*) from sineta.events") == 4)
            let other = try await api.send(
                "POST", "/v1/stores/\(TestAPI.south)/events", as: .otherBackend,
                body: String(decoding: TestEvents.order().encoded, as: UTF8.self))
            #expect(other.status == 202)
            clock.move(.seconds(2))
            #expect(try await Self.post(api, batch(4)).status == 200)
        }
    }

    // MARK: Tracing

    private static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    private static let ids = ["X-Request-Id: order-7", "traceparent: \(trace)"]
    private static let given: JSONValue = [
        // In the order in which PostgreSQL keeps them.
        "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "request_id": "order-7",
    ]

    @Test(
        "the ids that a caller gives are in the job that decides, those that are made here are not",
        arguments: [[], ["Idempotency-Key: k1"]])
    func carried(_ headers: [String]) async throws {
        try await TestAPI.run { api in
            let events: JSONValue = ["events": [TestEvents.order(), TestEvents.stock(3)]]
            #expect(try await Self.post(api, events, headers: Self.ids + headers).status == 200)
            let args = try await api.texts("select args::text from sineta.jobs")
            #expect(args.count == 2)
            for args in args {
                let value = try JSONValue.parse(Array(args.utf8))
                #expect(value["request_id"] == Self.given["request_id"])
                #expect(value["trace_id"] == Self.given["trace_id"])
            }
            try await api.sql("delete from sineta.jobs")
            #expect(
                try await Self.post(api, TestEvents.order(order: "\(UUID.v7())")).status == 202)
            let own = try await api.texts("select args::text from sineta.jobs")
            #expect(own.count == 1 && !own[0].contains("request_id"))
        }
    }

    @Test(
        "they come back in what the worker says of a push that is refused, and of a job it buries")
    func told() async throws {
        let lines = Lock<[String]>([])
        let log = Log(level: .warning) { line in lines.withLock { $0.append(line) } }
        try await TestAPI.run { api in
            let device = try await api.phone(of: .owner)
            let phones = TestPhones { _ in
                .requestRefused(ProviderWord(status: 400, reason: "BadTopic"))
            }
            var alert = ""
            try await api.working(phones, log: log) {
                let reply = try await Self.post(api, TestEvents.order(), headers: Self.ids)
                alert = try #require(try reply.json["alert_id"]?.text)
                try await api.settle()
            }
            let push = try #require(
                try await api.texts("select id::text from sineta.jobs_dead").first)
            let refusal = try Self.line("push not accepted", lines)
            #expect(refusal["job"]?.text == push)
            #expect(refusal["alert"]?.text == alert)
            #expect(refusal["device"]?.text == device)
            #expect(refusal["request_id"] == Self.given["request_id"])
            #expect(refusal["trace_id"] == Self.given["trace_id"])
            // A push's arguments hold nothing else.
            #expect(
                try JSONValue.parse(
                    Array(
                        try #require(
                            try await api.texts("select args::text from sineta.jobs_dead").first
                        ).utf8)) == Self.given)

            let second = try await Self.post(
                api, TestEvents.order(order: "\(UUID.v7())"), headers: Self.ids)
            let other = try #require(try second.json["alert_id"]?.text)
            try await api.sql("update sineta.jobs set args = args - 'type'")
            try await api.working(phones, log: log) { try await api.settle() }
            let burial = try Self.line("job buried", lines)
            #expect(burial["kind"] == "alerts.decide")
            #expect(burial["reason"] == "undecodable")
            #expect(burial["alert"]?.text == other)
            #expect(burial["job"]?.text != nil)
            #expect(burial["request_id"] == Self.given["request_id"])
            #expect(burial["trace_id"] == Self.given["trace_id"])
        }
    }

    @Test("a post that is taken is joined to its events and alerts by a line for those who look")
    func joined() async throws {
        let lines = Lock<[String]>([])
        let log = Log(level: .debug) { line in lines.withLock { $0.append(line) } }
        try await TestAPI.run(log: log) { api in
            let reply = try await Self.post(api, TestEvents.order(), headers: Self.ids)
            let line = try Self.line("events taken", lines)
            #expect(line["level"] == "debug")
            #expect(line["request_id"] == Self.given["request_id"])
            #expect(line["trace_id"] == Self.given["trace_id"])
            #expect(line["event_ids"] == (try reply.json["event_id"]))
            #expect(line["alerts"] == (try reply.json["alert_id"]))
        }
    }

    /// The one line with a message, which was written before what was waited for.
    private static func line(_ message: String, _ lines: Lock<[String]>) throws -> JSONValue {
        let all = try lines.withLock { $0 }.map { try JSONValue.parse(Array($0.utf8)) }
        let found = all.filter { $0["message"]?.text == message }
        #expect(found.count == 1, "\(all)")
        return try #require(found.first)
    }
}
