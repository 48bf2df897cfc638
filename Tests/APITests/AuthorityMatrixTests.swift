import JSON
import TestKit
import Testing
import Values

@testable import API

@Suite("Authority matrix")
struct AuthorityMatrixTests {
    @Test("every route stands in the matrix, and nothing else")
    func complete() async throws {
        try await TestAPI.run { api in
            let routes = Set(API.endpoints(api.services, api.parts).map(\.route))
            #expect(routes.subtracting(AuthorityMatrix.rows.keys).sorted() == [])
            #expect(Set(AuthorityMatrix.rows.keys).subtracting(routes).sorted() == [])
        }
    }

    @Test(
        "wrong callers of every route get one body per code and what it takes, and change no row")
    func wrongCallers() async throws {
        try await TestAPI.run { api in
            try await Self.walk(api)
            // The refresh token that opened nothing was good, and still is.
            let token = try #require(api.credentials[.refresh])
            #expect(try await api.refresh(token).status == 200)
        }
    }

    @Test("right callers of every route are let in")
    func rightCallers() async throws {
        try await TestAPI.run { api in
            try await api.fillMatrix()
            for endpoint in API.endpoints(api.services, api.parts)
            where endpoint.method != .delete {
                guard let row = AuthorityMatrix.rows[endpoint.route] else { continue }
                let namesAnother = endpoint.path.places.contains { $0.name != "store" }
                let right = TestAPI.Who.allCases.filter {
                    AuthorityMatrix.refusal(row.right, $0, namesAnother: namesAnother) == nil
                }
                #expect(!right.isEmpty || row.right == .person, "\(endpoint.route)")
                for who in right where row.right != .anyone {
                    let (status, _, text) = await api.ask(endpoint, as: who, body: row.body)
                    #expect(
                        ![401, 403, 405, 500].contains(status),
                        "\(endpoint.route) as \(who): \(text)")
                }
            }
        }
    }

    @Test("right callers of every DELETE remove what it names")
    func rightRemovers() async throws {
        try await TestAPI.run { api in
            try await api.fillMatrix()
            for endpoint in API.endpoints(api.services, api.parts)
            where endpoint.method == .delete {
                guard let row = AuthorityMatrix.rows[endpoint.route] else { continue }
                for who in TestAPI.Who.allCases
                where AuthorityMatrix.refusal(row.right, who, namesAnother: true) == nil {
                    try await api.refill()
                    let (status, _, text) = await api.ask(endpoint, as: who, body: nil)
                    #expect(status == 204, "\(endpoint.route) as \(who): \(text)")
                }
            }
            let ana = try await api.account()
            let device = try await api.register(PushTokens.ios(1), for: ana.session.access)
            let id = try #require(try device.json["id"]?.text)
            for path in ["/v1/me/devices/\(id)", "/v1/me/sessions/\(ana.session.id)"] {
                let reply = try await api.send("DELETE", path, token: ana.session.access)
                #expect(reply.status == 204, "\(path): \(reply.text)")
            }
        }
    }

    /// All wrong callers of all routes.
    static func walk(_ api: TestAPI) async throws {
        try await api.fillMatrix()
        var bodies: [String: Set<String>] = [:]
        for endpoint in API.endpoints(api.services, api.parts) {
            guard let row = AuthorityMatrix.rows[endpoint.route] else { continue }
            let namesAnother = endpoint.path.places.contains { $0.name != "store" }
            let before = try await api.snapshot()
            for who in TestAPI.Who.allCases {
                let expected = AuthorityMatrix.refusal(row.right, who, namesAnother: namesAnother)
                guard let expected else { continue }
                let (status, json, text) = await api.ask(endpoint, as: who, body: row.body)
                #expect(status == expected.status, "\(endpoint.route) as \(who): \(text)")
                #expect(json?["code"]?.text == expected.rawValue, "\(endpoint.route) as \(who)")
                // What a route takes is told to members alone, and is no secret: the document says
                // so.
                let kind = expected == .forbidden ? "forbidden \(row.right)" : expected.rawValue
                bodies[kind, default: []].insert(text)
                if expected == .forbidden, let permission = row.right.permission {
                    #expect(
                        json?["detail"]?.text?.contains("the permission \(permission)") == true,
                        "\(endpoint.route) as \(who): \(text)")
                }
            }
            #expect(try await api.snapshot() == before, "\(endpoint.route) changed a row")
        }
        for (kind, texts) in bodies { #expect(texts.count == 1, "\(kind): \(texts)") }
    }
}

/// Each of the two walls alone keeps stores apart.
@Suite("Isolation of stores")
struct StoreIsolationTests {
    @Test("without authority, the database alone shows and changes nothing of another store")
    func withoutAuthority() async throws {
        try await TestAPI.run(checksAuthority: false) { api in
            try await api.fillMatrix()
            for endpoint in API.endpoints(api.services, api.parts)
            where endpoint.access?.concernsStore == true {
                let before = try await api.snapshot()
                for who in [TestAPI.Who.stranger, .outsider, .removed, .operators, .otherBackend] {
                    _ = try await Self.showsNothing(api, endpoint, who)
                }
                #expect(try await api.snapshot() == before, "\(endpoint.route) changed a row")
            }
        }
    }

    @Test("without authority, the database alone refuses all but operators what is theirs")
    func operatorsWithoutAuthority() async throws {
        try await TestAPI.run(checksAuthority: false) { api in
            try await api.fillMatrix()
            let before = try await api.snapshot()
            var count = 0
            for endpoint in API.endpoints(api.services, api.parts)
            where endpoint.access?.isForOperators == true {
                count += 1
                for who in [
                    TestAPI.Who.owner, .manager, .stranger, .removed, .backend, .otherBackend,
                ] {
                    let status = try await Self.showsNothing(api, endpoint, who)
                    #expect(status == 403, "\(endpoint.route) as \(who)")
                }
            }
            #expect(count == AuthorityMatrix.rows.values.count { $0.right == .operators })
            #expect(try await api.snapshot() == before)
        }
    }

    @Test("without authority, the database alone gives a caller nothing of another person")
    func personsWithoutAuthority() async throws {
        try await TestAPI.run(checksAuthority: false) { api in
            try await api.fillMatrix()
            let victim = AuthorityMatrix.victim.description
            let before = try await api.snapshot(naming: victim)
            for endpoint in API.endpoints(api.services, api.parts)
            where AuthorityMatrix.rows[endpoint.route]?.right == .person {
                for who in [TestAPI.Who.stranger, .removed, .operators, .otherBackend] {
                    _ = try await Self.showsNothing(api, endpoint, who)
                }
            }
            #expect(try await api.snapshot(naming: victim) == before)
            #expect(try await api.snapshot(naming: "nobody") != before)
        }
    }

    /// - Returns: the status.
    private static func showsNothing(
        _ api: TestAPI, _ endpoint: Endpoint, _ who: TestAPI.Who
    ) async throws -> Int {
        let body = AuthorityMatrix.rows[endpoint.route]?.body
        let (status, _, text) = await api.ask(endpoint, as: who, body: body)
        #expect(status != 500, "\(endpoint.route) as \(who): \(text)")
        for secret in AuthorityMatrix.secrets {
            #expect(!text.contains(secret), "\(endpoint.route) as \(who): \(text)")
        }
        return status
    }

    @Test("without row-level security, authority alone refuses every wrong caller")
    func withoutRowSecurity() async throws {
        try await TestAPI.run { api in
            try await api.database.run(
                """
                do $$ declare guarded regclass; begin
                  for guarded in select c.oid from pg_class c
                    join pg_namespace n on n.oid = c.relnamespace
                    where n.nspname = 'sineta' and c.relrowsecurity loop
                    execute format('alter table %s disable row level security', guarded);
                  end loop;
                end $$
                """)
            try await AuthorityMatrixTests.walk(api)
        }
    }
}
