import JSON
import Postgres
import Runtime
import TestKit
import Testing
import Values

@testable import API

@Suite("Requests that are repeated")
struct RepeatTests {
    private static let path = "/v1/stores/\(TestAPI.north)/toy/notes"

    private static func count(_ api: TestAPI) async throws -> Int {
        let rows = try await api.database.pool(.superuser, size: 1).query(
            "select count(*) from sineta.audit", deadline: .after(.seconds(20)))
        return try rows.first?.int(0) ?? -1
    }

    @Test("the same key and body has one effect and one answer")
    func replay() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            let body = #"{"text":"a"}"#
            let key = ["Idempotency-Key: k1"]
            let first = try await api.send("POST", Self.path, as: .owner, headers: key, body: body)
            let second = try await api.send("POST", Self.path, as: .owner, headers: key, body: body)
            #expect(first.status == 201)
            #expect(second.status == 201)
            #expect(first.text == second.text)
            #expect(first.headers["idempotency-replayed"] == nil)
            #expect(second.headers["idempotency-replayed"] == "true")
            #expect(try await Self.count(api) == 1)
            // Another caller's key of the same name is another key.
            let other = try await api.send("POST", Self.path, as: .staff, headers: key, body: body)
            #expect(other.headers["idempotency-replayed"] == nil)
            #expect(try await Self.count(api) == 2)
        }
    }

    @Test("the same key with another body is 422, and a refused request leaves its key free")
    func mismatch() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            let key = ["Idempotency-Key: k1"]
            let refused = try await api.send(
                "POST", Self.path, as: .owner, headers: key, body: #"{"text":1}"#)
            #expect(refused.code == "validation_failed")
            let first = try await api.send(
                "POST", Self.path, as: .owner, headers: key, body: #"{"text":"a"}"#)
            #expect(first.status == 201)
            let other = try await api.send(
                "POST", Self.path, as: .owner, headers: key, body: #"{"text":"b"}"#)
            #expect(other.code == "idempotency_mismatch")
            #expect(other.status == 422)
        }
    }

    @Test("an answer that held a secret is not given twice")
    func secret() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            let path = "/v1/stores/\(TestAPI.north)/toy/secrets"
            let key = ["Idempotency-Key: k1"]
            let body = #"{"text":"a"}"#
            #expect(
                try await api.send("POST", path, as: .owner, headers: key, body: body).status
                    == 201)
            let second = try await api.send("POST", path, as: .owner, headers: key, body: body)
            #expect(second.code == "one_time_secret")
            #expect(second.status == 409)
            #expect(try await Self.count(api) == 1)
        }
    }

    @Test("twenty at once have one effect; a twin is told to come again")
    func twins() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            let replies = try await withThrowingTaskGroup(of: RawReply.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await api.send(
                            "POST", Self.path, as: .owner, headers: ["Idempotency-Key: k1"],
                            body: #"{"text":"a"}"#)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for reply in replies where reply.status != 201 {
                #expect(reply.code == "in_progress")
                #expect(reply.headers["retry-after"] == "1")
            }
            #expect(Set(replies.filter { $0.status == 201 }.map(\.text)).count == 1)
            #expect(try await Self.count(api) == 1)
        }
    }

    @Test("a key that is none is refused")
    func malformed() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            for key in ["", "a b", String(repeating: "k", count: 256)] {
                let reply = try await api.send(
                    "POST", Self.path, as: .owner, headers: ["Idempotency-Key: \(key)"],
                    body: #"{"text":"a"}"#)
                #expect(try reply.faults == ["/Idempotency-Key length"], "\(key)")
            }
        }
    }

    @Test("a change of a state that was not seen is 412; without If-Match the last one wins")
    func versions() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            let path = "/v1/stores/\(TestAPI.north)/toy/name"
            func put(_ name: String, _ match: String?) async throws -> RawReply {
                try await api.send(
                    "PUT", path, as: .owner, headers: match.map { ["If-Match: \($0)"] } ?? [],
                    body: "{\"name\":\"\(name)\"}")
            }
            let first = try await put("one", nil)
            let tag = try #require(first.headers["etag"])
            #expect(try await put("two", tag).status == 204)
            #expect(try await put("three", tag).code == "precondition_failed")
            #expect(try await put("three", "W/\(tag)").status == 412)
            #expect(
                try await put("three", "\"x\", \(EntityTag.of(Array("two".utf8)))").status == 204)
            #expect(try await put("four", "*").status == 204)
            #expect(try await put("five", nil).status == 204)
        }
    }
}
