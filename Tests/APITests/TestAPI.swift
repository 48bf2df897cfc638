import Alerts
import Cryptography
import HTTPServer
import JSON
import Postgres
import Push
import Runtime
import Storage
import TestKit
import Testing
import Values

@testable import API

/// The API on a real socket before a real database, with two stores and the people of them.
struct TestAPI: Sendable {
    /// Whoever may stand behind a request.
    enum Who: String, CaseIterable, Sendable {
        /// No credential.
        case nobody
        /// Something that no checksum accepts.
        case garbage
        /// A well-formed token that nobody gave out.
        case unknown
        /// A token whose time is over.
        case expired
        /// A token of a session that was ended.
        case ended
        /// The owner's refresh token, which is good, in the place of an access token.
        case refresh
        /// The owner of `north`.
        case owner
        /// Staff of `north` without any permission.
        case staff
        /// Staff of `north` with `store.manage`.
        case manager
        /// The owner of `south`.
        case stranger
        /// Staff of `south` with every permission.
        case outsider
        /// Member of nothing; `fillMatrix` makes them one who was staff of `north`.
        case removed
        /// An operator, member of nothing.
        case operators
        /// The API token of `north`.
        case backend
        /// The API token of `south`.
        case otherBackend
    }

    static let north: StoreID = ID(UUID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001))
    static let south: StoreID = ID(UUID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0002))
    static let secret = Secret("a secret of thirty-two bytes here")

    let database: TestDatabase
    let services: Services
    let parts: Parts
    let front: Front
    let port: Int
    let credentials: [Who: String]

    /// - Parameters:
    ///   - endpoints: adds to the API's own.
    ///   - poolMetrics: counts what the endpoints ask the database.
    static func run(
        _ endpoints: @Sendable (Services) -> [Endpoint] = { _ in [] },
        limits: Services.Limits = Services.Limits(
            requestsPerMinute: 0, eventsPerSecond: 0, eventsBurst: 0),
        cors: [String] = [], proxies: [String] = [], rates: RateLimiter = RateLimiter(),
        checksAuthority: Bool = true, log: Log = .silent, languages: [Catalogue.File] = [],
        providers: PushProviders? = nil, providerFaults: [ProviderFault] = [],
        hasher: PasswordHasher? = nil, obstacle: String? = nil, poolMetrics: Metrics? = nil,
        now: @escaping @Sendable () -> Timestamp = Timestamp.now,
        _ body: (TestAPI) async throws -> Void
    ) async throws {
        try await Turnstile.apis.pass {
            try await withTestDatabase(
                Schema.migrations, key: "api, events declared", prepare: admit
            ) { database in
                let services = Services(
                    door: Door(try database.pool(size: 4, metrics: poolMetrics)), secret: secret,
                    limits: limits,
                    log: log,
                    metrics: Metrics(), rates: rates, now: now,
                    obstacle: { _ in obstacle },
                    checksAuthority: checksAuthority)
                let parts = try Parts.forTests(
                    try database.pool(size: 2), languages, providers: providers,
                    faults: providerFaults, hasher: hasher)
                let credentials = try await people(database, services.tokens)
                let front = Front(
                    API.endpoints(services, parts) + endpoints(services), services: services,
                    proxies: TrustedProxies(proxies), cors: CORS(origins: cors),
                    // The machine may be busy with other tests.
                    patience: .seconds(30),
                    inspecting: { endpoint, answer in
                        for fault in AnswerCheck.faults(endpoint, answer) {
                            Issue.record("\(endpoint.route): \(fault)")
                        }
                    })
                let server = API.server(
                    HTTPServerConfiguration(bind: .tcp(host: "127.0.0.1", port: 0)), front)
                let port = try #require(try server.start())
                let api = TestAPI(
                    database: database, services: services, parts: parts, front: front, port: port,
                    credentials: credentials)
                do {
                    try await body(api)
                } catch {
                    await server.stop()
                    throw error
                }
                await server.stop()
            }
        }
    }

    @Sendable private static func admit(_ database: TestDatabase) async throws {
        try await database.run(
            "select sineta.admit('\(TestDatabase.Role.application.name)')", as: .owner)
        let owner = try database.pool(.owner, size: 1)
        try await Schema.declareEvents(pool: owner, deadline: .after(.seconds(60)))
        await owner.close()
    }

    /// Sends one request on a connection of its own.
    func send(
        _ method: String, _ path: String, as who: Who = .nobody, token: String? = nil,
        headers: [String] = [], body: String? = nil
    ) async throws -> RawReply {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: test", "Connection: close"] + headers
        if let token = token ?? credentials[who] { lines.append("Authorization: Bearer \(token)") }
        if let body {
            lines.append("Content-Length: \(body.utf8.count)")
            if !headers.contains(where: { $0.lowercased().hasPrefix("content-type") }) {
                lines.append("Content-Type: application/json")
            }
        }
        let socket = try RawSocket(port: port)
        await socket.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
        let bytes = try #require(await socket.readToEnd(), "\(method) \(path): no end")
        let replies = RawReply.all(in: bytes, withoutBodies: method == "HEAD")
        return try #require(replies.first, "\(method) \(path): no answer")
    }
}

extension RawReply {
    var json: JSONValue { get throws { try JSONValue.parse(body) } }

    /// The code of a problem; nil for anything else.
    var code: String? {
        guard headers["content-type"] == "application/problem+json" else { return nil }
        return (try? json)?["code"]?.text
    }

    /// The pointers and codes of a refused body.
    var faults: [String] {
        get throws {
            try json["errors"]?.array?.map {
                "\($0["pointer"]?.text ?? "-") \($0["code"]?.text ?? "-")"
            } ?? []
        }
    }
}
