import TestKit
import Testing

@testable import API

@Suite("Who may call")
struct AuthorityTests {
    private static let north = "/v1/stores/\(TestAPI.north)"
    private static let rename = #"{"name":"New"}"#

    @Test("each caller of a store's endpoint gets what is theirs")
    func storePermission() async throws {
        let expected: [TestAPI.Who: (Int, String?)] = [
            .nobody: (401, "unauthenticated"), .garbage: (401, "unauthenticated"),
            .unknown: (401, "unauthenticated"), .expired: (401, "unauthenticated"),
            .ended: (401, "session_ended"), .refresh: (401, "unauthenticated"),
            .owner: (200, nil), .staff: (403, "forbidden"), .manager: (200, nil),
            .stranger: (404, "not_found"), .outsider: (404, "not_found"),
            .removed: (404, "not_found"), .operators: (404, "not_found"),
            .backend: (403, "session_required"), .otherBackend: (403, "session_required"),
        ]
        #expect(expected.count == TestAPI.Who.allCases.count)
        try await TestAPI.run(Toys.endpoints) { api in
            for (who, (status, code)) in expected {
                let reply = try await api.send(
                    "PATCH", "\(Self.north)/toy", as: who, body: Self.rename)
                #expect(reply.status == status, "\(who)")
                #expect(reply.code == code, "\(who)")
                #expect((reply.headers["www-authenticate"] == "Bearer") == (status == 401))
            }
        }
    }

    @Test("each caller of a backend's endpoint gets what is theirs")
    func backend() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            for (who, status) in [
                (TestAPI.Who.backend, 202), (.otherBackend, 404), (.owner, 403), (.nobody, 401),
            ] {
                let reply = try await api.send(
                    "POST", "\(Self.north)/toy/events", as: who, body: #"{"events":[1]}"#)
                #expect(reply.status == status, "\(who)")
            }
        }
    }

    @Test("operators have a place of their own")
    func operators() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            let reply = try await api.send("GET", "/v1/ops/toy", as: .operators)
            #expect(reply.text == #"{"stores":2}"#)
            #expect(try await api.send("GET", "/v1/ops/toy", as: .owner).code == "forbidden")
            #expect(
                try await api.send("GET", "/v1/ops/toy", as: .backend).code == "session_required")
        }
    }

    @Test("who may not call is not told what is wrong with the body")
    func order() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            for (who, status) in [
                (TestAPI.Who.nobody, 401), (.expired, 401), (.staff, 403), (.stranger, 404),
                (.owner, 400),
            ] {
                let reply = try await api.send("PATCH", "\(Self.north)/toy", as: who, body: "{")
                #expect(reply.status == status, "\(who)")
            }
        }
    }

    @Test("unknown, foreign and malformed ids have one answer")
    func oneAnswer() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            var bodies: Set<String> = []
            for store in [
                "not-a-uuid", "\(TestAPI.south)", "01900000-0000-7000-8000-00000000000",
                "01900000-0000-7000-8000-0000000000ff", "%00", "1",
            ] {
                let reply = try await api.send(
                    "PATCH", "/v1/stores/\(store)/toy", as: .owner,
                    headers: ["X-Request-Id: same"], body: Self.rename)
                #expect(reply.status == 404)
                bodies.insert(reply.text)
            }
            #expect(bodies.count == 1)
        }
    }

    @Test("row-level security alone keeps stores apart")
    func withoutAuthority() async throws {
        try await TestAPI.run(Toys.endpoints, checksAuthority: false) { api in
            let foreign = try await api.send(
                "PATCH", "\(Self.north)/toy", as: .stranger, body: Self.rename)
            #expect(foreign.status == 404)
            let own = try await api.send(
                "PATCH", "/v1/stores/\(TestAPI.south)/toy", as: .stranger, body: Self.rename)
            #expect(own.status == 200)
        }
    }

    @Test("a header that is no bearer token is none")
    func schemes() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            for value in ["Bearer", "Basic abc", "Bearer a b", "Bearer  ", "bearer x", ""] {
                let reply = try await api.send(
                    "GET", "/v1/ops/toy", headers: ["Authorization: \(value)"])
                #expect(reply.code == "unauthenticated", "\(value)")
            }
        }
    }
}
