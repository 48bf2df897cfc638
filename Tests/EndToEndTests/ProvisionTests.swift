import Foundation
import JSON
import Postgres
import Runtime
import Storage
import TestKit
import Testing

@testable import sineta

@Suite("sineta user, store and token", .timeLimit(.minutes(5))) struct ProvisionTests {
    @Test("make people, a store and a token that the API knows, shut out again, and leave a trace")
    func walk() async throws {
        try await House.run { house in
            let ana = "ana@example.com"
            let made = try await house.sineta("user", "create", ana, "Ana", "--locale", "pt-BR")
            let password = try #require(made.wholeMatch(of: #/password of \S+: (\S+)\n/#)).1
            let (status, signedIn) = try await house.login(ana, String(password))
            #expect(status == 200)
            let session = try #require(signedIn["access_token"]?.text)

            #expect(try await house.call("GET", "/v1/ops/overview", session).status == 403)
            #expect(try await house.sineta("user", "operator", ana) == "")
            #expect(try await house.call("GET", "/v1/ops/overview", session).status == 200)
            #expect(try await house.sineta("user", "operator", ana, "--revoke") == "")
            #expect(try await house.call("GET", "/v1/ops/overview", session).status == 403)

            let (store, invite) = try await house.store("Loja", "dona@example.com")
            #expect(try await house.accept(invite, "a password of hers").status == 200)
            #expect(try await house.accept(invite, "a password of hers").status == 404)
            let token = try await house.sineta("token", "create", store, "shop").trimmed
            let posted = try await house.call(
                "POST", "/v1/stores/\(store)/events", token, order)
            #expect(posted.status == 202)
            #expect(posted.body["status"]?.text == "accepted")

            let reset = try await house.sineta("user", "reset", ana)
            let link = try #require(reset.wholeMatch(of: #/(\S+) \(until [^)]+\)\n/#)).1
            let (taken, again) = try await house.accept(String(link), "another password")
            #expect(taken == 200)
            #expect(try await house.accept(String(link), "a third password").status == 404)
            #expect(try await house.login(ana, String(password)).status == 401)
            #expect(try await house.login(ana, "another password").status == 200)

            let last = try #require(again["access_token"]?.text)
            #expect(try await house.call("GET", "/v1/me", last).status == 200)
            #expect(try await house.sineta("user", "disable", ana) == "")
            #expect(try await house.call("GET", "/v1/me", last).status == 401)
            #expect(try await house.login(ana, "another password").status == 401)
            #expect(try await house.sineta("user", "disable", ana, "--enable") == "")
            #expect(try await house.login(ana, "another password").status == 200)

            #expect(
                try await house.trace() == [
                    #"user.created - {"email": "ana@example.com", "operator": false}"#,
                    #"user.changed - {"operator": true}"#, #"user.changed - {"operator": false}"#,
                    "store.created \(store) Loja", "api_token.created \(store) shop",
                    "user.reset - ", #"user.changed - {"disabled": true}"#,
                    #"user.changed - {"disabled": false}"#,
                ])
            #expect(try await house.metrics().contains("\nsineta_log_lines_lost_total 0\n"))
        }
    }

    private let order = #"""
        {"id":"paid-1","type":"orders.paid","data":{"order_id":"01990a00-0000-7000-8000-000000009001",
        "number":"1","total":{"amount":"10.00","currency":"BRL"},"customer_name":"Ana Souza"}}
        """#
}

/// A database and an API on it.
private struct House {
    private let database: TestDatabase
    private let environment: [String: String]
    private let api: Int
    private let metricsPort: Int

    static func run(_ body: (House) async throws -> Void) async throws {
        try await withTestDatabase(
            Schema.migrations, key: "provision",
            prepare: { database in
                try await database.run(
                    "select sineta.admit('\(TestDatabase.Role.application.name)')", as: .owner)
            }
        ) { database in
            let home = try TestHome()
            defer { home.remove() }
            let environment = home.environment.merging([
                "DATABASE_URL": database.url(), "AUTH_SECRET": String(repeating: "s", count: 32),
            ]) { $1 }
            let serve = try SinetaProcess(
                ["serve"], environment.merging(["LOG_LEVEL": "info"]) { $1 })
            try await serve.complaint(with: " ready ")
            let said = serve.errorsSoFar
            let ports = try [#/ ready .*address=http:\S+:(\d+)\n/#, #/server=metrics.*:(\d+)\n/#]
                .map { pattern in
                    let match = try #require(said.firstMatch(of: pattern), "\(said)")
                    return try #require(Int(match.1))
                }
            try await body(
                House(
                    database: database, environment: environment, api: ports[0],
                    metricsPort: ports[1]))
            serve.send(SIGTERM)
            #expect(await serve.exitCode() == 0)
        }
    }

    /// What a command prints.
    func sineta(_ words: String...) async throws -> String {
        let process = try SinetaProcess(words, environment)
        #expect(await process.exitCode() == 0, "\(words)")
        #expect(await process.errors() == "", "\(words)")
        return await process.output()
    }

    /// A new store's id, and its new owner's invite.
    func store(_ name: String, _ owner: String) async throws -> (id: String, invite: String) {
        let text = try await sineta("store", "create", name, owner)
        let match = try #require(
            text.wholeMatch(of: #/(\S+)\ninvite of (\S+): (\S+) \(until [^)]+\)\n/#), "\(text)")
        #expect(match.2 == owner)
        return (String(match.1), String(match.3))
    }

    typealias Reply = (status: Int, body: JSONValue)

    func login(_ email: String, _ password: String) async throws -> Reply {
        try await call(
            "POST", "/v1/auth/login", nil, #"{"email":"\#(email)","password":"\#(password)"}"#)
    }

    func accept(_ link: String, _ password: String) async throws -> Reply {
        try await call(
            "POST", "/v1/auth/accept-invite", nil,
            #"{"token":"\#(link)","name":"Somebody","password":"\#(password)"}"#)
    }

    func call(
        _ method: String, _ path: String, _ token: String?, _ body: String? = nil
    ) async throws -> Reply {
        let reply = try await ask(api, method, path, token, body)
        return (reply.status, try JSONValue.parse(reply.body))
    }

    func metrics() async throws -> String {
        try await ask(metricsPort, "GET", "/metrics", nil, nil).text
    }

    private func ask(
        _ port: Int, _ method: String, _ path: String, _ token: String?, _ body: String?
    ) async throws -> RawReply {
        let socket = try RawSocket(port: port)
        var head = "\(method) \(path) HTTP/1.1\r\nHost: x\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        if let body {
            head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
        }
        await socket.send(head + "\r\n" + (body ?? ""))
        return try #require(await socket.replies().first, "\(method) \(path)")
    }

    /// The audit rows of the command line: act, store, and what was made of it.
    func trace() async throws -> [String] {
        let rows = try await database.pool(.superuser, size: 1).query(
            """
            select act, case when store_id = '00000000-0000-0000-0000-000000000000' then '-'
                else store_id::text end,
              coalesce(after->>'name', after::text, '')
            from sineta.audit where actor = 'cli' order by at, id
            """, deadline: .after(.seconds(30)))
        return try rows.map { "\(try $0.text(0)) \(try $0.text(1)) \(try $0.text(2))" }
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
