import Alerts
import Foundation
import JSON
import Runtime
import TestKit
import Testing
import Values
import Worker

@testable import API

@Suite("The inbox")
struct InboxTests {
    @Test("has what was decided for the reader, in their language of now, without any phone")
    func language() async throws {
        try await TestAPI.run { api in
            try await api.working {
                try await api.post(TestEvents.order("created"))
                try await api.post(TestEvents.order("paid"))
                try await api.settle()
            }
            let first = try await api.inbox(.owner)
            #expect(first.map { $0["title"] } == ["Pedido #1042 pago", "Novo pedido #1042"])
            #expect(first[0]["body"]?.text == "R$\u{A0}1.234,56 · Ana Souza")
            #expect(first[0]["subject"] == ["order_id": .text(TestEvents.order)])
            #expect(first[0]["kind"] == "orders.paid")
            #expect(first[0]["store_id"]?.text == "\(TestAPI.north)")
            #expect(first[0]["read_at"] == .null)
            _ = try await api.send("PATCH", "/v1/me", as: .owner, body: #"{"locale":"en"}"#)
            let second = try await api.inbox(.owner)
            #expect(second[0]["title"] == "Order #1042 paid")
            #expect(second[0]["body"]?.text == "R$1,234.56 · Ana Souza")
            // Who may not see orders has no line, and another store's people neither.
            #expect(try await api.inbox(.staff).isEmpty)
            #expect(try await api.inbox(.stranger).isEmpty)
        }
    }

    @Test("marks an alert and all older ones as read, and nothing newer")
    func read() async throws {
        try await TestAPI.run { api in
            try await api.working {
                for number in 1...3 {
                    let order = "0199b7e2-0000-7000-8000-00000000000\(number)"
                    try await api.post(TestEvents.order(order: order))
                }
                try await api.settle()
            }
            let ids = try await api.inbox(.owner).compactMap { $0["id"]?.text }
            #expect(ids.count == 3)
            let body = #"{"up_to":"\#(ids[1])"}"#
            let marked = try await api.send("POST", "/v1/me/alerts/read", as: .owner, body: body)
            #expect(marked.status == 204)
            let lines = try await api.inbox(.owner)
            #expect(lines.map { $0["read_at"] == .null } == [true, false, false])
            let before = lines[2]["read_at"]
            _ = try await api.send("POST", "/v1/me/alerts/read", as: .owner, body: body)
            #expect(try await api.inbox(.owner)[2]["read_at"] == before)
            // An alert to come would be read before it is there.
            for unknown in ["ffffffff-ffff-7fff-bfff-ffffffffffff", "\(UUID.v7())"] {
                let reply = try await api.send(
                    "POST", "/v1/me/alerts/read", as: .owner, body: #"{"up_to":"\#(unknown)"}"#)
                #expect(reply.status == 404)
            }
            let foreign = try await api.send(
                "POST", "/v1/me/alerts/read", as: .stranger, body: body)
            #expect(foreign.status == 404)
        }
    }

    @Test("goes by the database's time, however the machine's own clock is set")
    func clocks() async throws {
        // What the database says, half an hour from what this machine does.
        let clock = Lock(Timestamp.now() - .seconds(1800))
        try await TestAPI.run(now: { clock.withLock { $0 } }) { api in
            let event = try await api.post(TestEvents.order("created"))
            let first = try #require(event["alert_id"]?.text)
            let undecided = try await api.send(
                "GET", "\(TestAPI.norths)/alerts/\(first)", as: .owner)
            #expect(undecided.status == 200, "\(undecided.text)")
            // Received before it, though posted behind it.
            clock.withLock { $0 = $0 - .seconds(60) }
            let second = try #require(
                try await api.post(TestEvents.order("paid"))["alert_id"]?.text)
            clock.withLock { $0 = .now() }
            try await api.working { try await api.settle() }
            #expect(try await api.inbox(.owner).compactMap { $0["id"]?.text } == [first, second])
            let decided = try await api.send(
                "GET", "\(TestAPI.norths)/alerts/\(first)", as: .owner)
            #expect(try decided.json["decided_at"] != .null)
        }
    }

    @Test("is asked by store, and walked by pages")
    func pages() async throws {
        try await TestAPI.run { api in
            try await api.working {
                for number in 1...5 {
                    let order = "0199b7e2-0000-7000-8000-00000000000\(number)"
                    try await api.post(TestEvents.order(order: order))
                }
                try await api.settle()
            }
            let all = try await api.inbox(.owner).compactMap { $0["id"]?.text }
            var walked: [String] = []
            var next: String?
            repeat {
                let after = next.map { "&after=\($0)" } ?? ""
                let page = try await api.send(
                    "GET", "/v1/me/alerts?limit=2&store_id=\(TestAPI.north)\(after)", as: .owner
                ).json
                walked += page["data"]?.array?.compactMap { $0["id"]?.text } ?? []
                next = page["next"]?.text
            } while next != nil && walked.count < 10
            #expect(walked == all && all.count == 5)
            let other = try await api.send(
                "GET", "/v1/me/alerts?store_id=\(TestAPI.south)", as: .owner)
            #expect(other.status == 404)
        }
    }

    @Test("a language more takes one file")
    func thirdLanguage() async throws {
        let english = try Parts.languageFile("en")
        let spanish = english.replacingOccurrences(of: #""en""#, with: #""es""#)
            .replacingOccurrences(of: "Order #{number} paid", with: "Pedido #{number} pagado")
            .replacingOccurrences(
                of: #"("default_region": ")[A-Z]+"#, with: "$1ES", options: .regularExpression
            )
            .replacingOccurrences(
                of: #""regions": \[[^\]]*\]"#, with: #""regions": ["ES", "MX"]"#,
                options: .regularExpression)
        let file = Catalogue.File(name: "es.json", bytes: Array(spanish.utf8))
        try await TestAPI.run(languages: [file]) { api in
            _ = try await api.send("PATCH", "/v1/me", as: .owner, body: #"{"locale":"es-MX"}"#)
            let phones = TestPhones()
            try await api.phone(of: .owner)
            try await api.working(phones) {
                try await api.post(TestEvents.order("paid"))
                try await api.settle()
            }
            #expect(phones.pushes.map(\.push.text.title) == ["Pedido #1042 pagado"])
            #expect(try await api.inbox(.owner)[0]["title"] == "Pedido #1042 pagado")
            let templates =
                try await api.send(
                    "GET", "\(TestAPI.norths)/templates", as: .owner
                ).json["data"]?.array ?? []
            #expect(templates.count == 8 * 3)
        }
    }
}

extension TestAPI {
    func inbox(_ who: Who) async throws -> [JSONValue] {
        let reply = try await send("GET", "/v1/me/alerts", as: who)
        #expect(reply.status == 200, "\(reply.text)")
        return try reply.json["data"]?.array ?? []
    }
}
