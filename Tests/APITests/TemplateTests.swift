import JSON
import Postgres
import TestKit
import Testing
import Values

@testable import API

@Suite("A store's own words")
struct TemplateTests {
    private static let path = "\(TestAPI.norths)/templates"
    private static let paid = "\(path)/orders.paid/pt"
    private static let words = #"{"title":"Caiu! #{number}","body":"{total} de {customer}"}"#

    @Test("replace the built-in ones until they are deleted, also in alerts of before")
    func life() async throws {
        try await TestAPI.run { api in
            try await api.working {
                try await api.post(TestEvents.order("paid"))
                try await api.settle()
            }
            let saved = try await api.send("PUT", Self.paid, as: .manager, body: Self.words)
            #expect(saved.status == 200)
            let json = try saved.json
            #expect(json["title"] == "Caiu! #{number}")
            #expect(json["is_default"] == false)
            #expect(json["arguments"] == ["number", "total", "customer"])
            #expect(json["etag"]?.text == saved.headers["etag"])
            #expect(try await api.inbox(.owner)[0]["title"] == "Caiu! #1042")
            let removed = try await api.send("DELETE", Self.paid, as: .owner)
            #expect(removed.status == 204)
            #expect(try await api.inbox(.owner)[0]["title"] == "Pedido #1042 pago")
            let acts = try await api.texts("select act from sineta.audit order by at, id")
            #expect(acts == ["template.saved", "template.removed"])
        }
    }

    @Test("are changed only by who has seen what is there")
    func versions() async throws {
        try await TestAPI.run { api in
            let list = try await api.send("GET", Self.path, as: .owner).json["data"]?.array ?? []
            let before = try #require(
                list.first { $0["kind"] == "orders.paid" && $0["language"] == "pt" })
            #expect(before["is_default"] == true)
            let tag = try #require(before["etag"]?.text)
            let first = try await api.send(
                "PUT", Self.paid, as: .owner, headers: ["If-Match: \(tag)"], body: Self.words)
            #expect(first.status == 200)
            for method in ["PUT", "DELETE"] {
                let late = try await api.send(
                    method, Self.paid, as: .owner, headers: ["If-Match: \(tag)"],
                    body: method == "PUT" ? Self.words : nil)
                #expect(late.code == "precondition_failed")
            }
        }
    }

    @Test(
        "are refused with the place of what is wrong",
        arguments: [
            (#"{"title":"{nome}","body":"x"}"#, "/title format", "character 0"),
            (#"{"title":"ok {","body":"x"}"#, "/title format", "character"),
            (#"{"title":"ok","body":" "}"#, "/body format", "empty"),
            (#"{"title":"ok","body":"{total, number}"}"#, "/body format", "character 0"),
        ])
    func faults(_ body: String, _ fault: String, _ words: String) async throws {
        try await TestAPI.run { api in
            for path in [Self.paid, "\(Self.paid)/preview"] {
                let reply = try await api.send(
                    path == Self.paid ? "PUT" : "POST", path, as: .owner, body: body)
                #expect(reply.status == 422)
                #expect(try reply.faults == [fault])
                #expect(reply.text.contains(words), "\(reply.text)")
            }
        }
    }

    @Test("at most 500 characters each")
    func length() async throws {
        try await TestAPI.run { api in
            let long = String(repeating: "é", count: 501)
            let reply = try await api.send(
                "PUT", Self.paid, as: .owner, body: #"{"title":"\#(long)","body":"x"}"#)
            #expect(try reply.faults == ["/title length"])
            let fits = String(long.dropLast())
            let taken = try await api.send(
                "PUT", Self.paid, as: .owner, body: #"{"title":"\#(fits)","body":"x"}"#)
            #expect(taken.status == 200)
        }
    }

    @Test("are shown as both platforms would, with what would be cut and the bytes")
    func preview() async throws {
        try await TestAPI.run { api in
            let builtIn = try await api.send("POST", "\(Self.paid)/preview", as: .owner).json
            #expect(builtIn["apns"]?["title"] == "Pedido #1042 pago")
            #expect(builtIn["apns"]?["subtitle"] == "North")
            #expect(builtIn["fcm"]?["subtitle"] == .null)
            #expect(builtIn["fcm"]?["body"]?.text == "R$\u{A0}1.234,56 · Ana Souza")
            #expect(builtIn["apns"]?["cut"] == [])
            let bytes = try #require(builtIn["apns"]?["bytes"]?.integer)
            #expect((200...500).contains(bytes))
            let english = try await api.send(
                "POST", "\(Self.path)/orders.paid/en/preview", as: .owner,
                body: #"{"title":"{total}","locale":"en-GB"}"#)
            #expect(try english.json["apns"]?["title"] == "R$1,234.56")
            let wrong = try await api.send(
                "POST", "\(Self.paid)/preview", as: .owner, body: #"{"locale":"en"}"#)
            #expect(try wrong.faults == ["/locale format"])
            #expect(try await api.count("select count(*) from sineta.templates") == 0)
        }
    }

    @Test("are for those who manage the store, and for kinds and languages that there are")
    func authority() async throws {
        try await TestAPI.run { api in
            for (who, status) in [(TestAPI.Who.staff, 403), (.stranger, 404), (.backend, 403)] {
                #expect(try await api.send("GET", Self.path, as: who).status == status)
                let reply = try await api.send("PUT", Self.paid, as: who, body: Self.words)
                #expect(reply.status == status, "\(who)")
            }
            for place in ["orders.lost/pt", "test/pt", "orders.paid/xx", "orders.paid/pt-BR"] {
                let reply = try await api.send(
                    "PUT", "\(Self.path)/\(place)", as: .owner, body: Self.words)
                #expect(reply.status == 404, "\(place)")
            }
        }
    }
}
