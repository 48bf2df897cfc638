import JSON
import Postgres
import Push
import Runtime
import Storage
import TestKit
import Testing
import Values

@testable import API

/// The table of codes: each is produced, with its status. The switch has no default, so a code
/// without a way to produce it does not compile.
@Suite("Error codes")
struct ErrorCodeTests {
    private static let store = "/v1/stores/\(TestAPI.north)"
    private static let preferences = "\(store)/me/push-preferences"
    private static let none = #"{"is_enabled":true,"enabled_events":[]}"#

    @Test("each is produced by a request", arguments: ErrorCode.allCases)
    func produced(_ code: ErrorCode) async throws {
        let seen = Lock<RawReply?>(nil)
        try await Self.api(for: code) { api, pushes in
            let reply = try await Self.provoke(code, api, pushes)
            seen.withLock { $0 = reply }
        }
        let reply = try #require(seen.withLock { $0 })
        #expect(reply.status == code.status)
        #expect(reply.code == code.rawValue, "\(reply.text)")
        #expect(try reply.json["type"]?.text == "urn:sineta:problem:\(code.rawValue)")
        #expect(try reply.json["title"]?.text == code.title)
        let detail = try #require(try reply.json["detail"]?.text)
        #expect(detail.dropLast() != code.title, "It says what to do next")
        #expect(try reply.json["status"]?.integer == Int64(code.status))
        #expect(try reply.json["request_id"]?.text == reply.headers["x-request-id"])
        let waits = [429, 503].contains(code.status) || code == .inProgress
        #expect((reply.headers["retry-after"] != nil) == waits)
    }

    private static func api(
        for code: ErrorCode, _ body: (TestAPI, SimulatedPushes?) async throws -> Void
    ) async throws {
        switch code {
        case .rateLimited:
            let limits = Services.Limits(
                requestsPerMinute: 1, eventsPerSecond: 0, eventsBurst: 0)
            try await TestAPI.run(limits: limits) { try await body($0, nil) }
        case .pushTokenInvalid, .pushProviderError: try await SimulatedPushes.run(body)
        case .pushNotConfigured:
            try await TestAPI.run(providers: PushProviders()) { try await body($0, nil) }
        case .unavailable:
            try await TestAPI.run(obstacle: "the database is away") { try await body($0, nil) }
        default: try await TestAPI.run { try await body($0, nil) }
        }
    }

    private static func provoke(
        _ code: ErrorCode, _ api: TestAPI, _ pushes: SimulatedPushes?
    ) async throws -> RawReply {
        switch code {
        case .invalidJSON: try await api.send("PATCH", store, as: .owner, body: "{")
        case .duplicateKey:
            try await api.send("PATCH", store, as: .owner, body: #"{"name":"a","name":"b"}"#)
        case .unauthenticated: try await api.send("GET", "/v1/me")
        case .sessionEnded: try await api.send("GET", "/v1/me", as: .ended)
        case .refreshTokenReused: try await reuse(api)
        case .forbidden: try await api.send("PATCH", store, as: .staff, body: "{}")
        case .sessionRequired: try await api.send("POST", "/v1/me/devices", as: .backend)
        case .notFound: try await api.send("GET", "/v1/stores/none", as: .owner)
        case .methodNotAllowed: try await api.send("DELETE", "/v1/me", as: .owner)
        case .conflict:
            try await api.send(
                "POST", "\(store)/members", as: .owner,
                body: #"{"email":"staff@example.com","role":"staff"}"#)
        case .lastOwner: try await lastOwner(api)
        case .inProgress: try await twin(api)
        case .oneTimeSecret: try await twice(api, #"{"name":"a"}"#, #"{"name":"a"}"#)
        case .deviceInactive: try await inactive(api)
        case .pushTokenInvalid: try await push(api) { pushes?.next(410, "Unregistered") }
        case .pushProviderError: try await push(api) { pushes?.next(500, "InternalServerError") }
        case .pushNotConfigured: try await push(api) {}
        case .preconditionFailed:
            try await api.send(
                "PUT", preferences, as: .owner, headers: ["If-Match: \"old\""], body: none)
        case .bodyTooLarge: try await tooLarge(api)
        case .unsupportedMediaType:
            try await api.send(
                "PATCH", store, as: .owner, headers: ["Content-Type: text/plain"], body: "{}")
        case .validationFailed:
            try await api.send("PATCH", store, as: .owner, body: #"{"name":""}"#)
        case .idempotencyMismatch: try await twice(api, #"{"name":"a"}"#, #"{"name":"b"}"#)
        case .invalidCursor:
            try await api.send("GET", "\(store)/members?after=x", as: .owner)
        case .lockedByPolicy: try await locked(api)
        case .eventNotAvailable:
            try await api.send(
                "PUT", preferences, as: .staff,
                body: #"{"is_enabled":true,"enabled_events":["orders.paid"]}"#)
        case .rateLimited: try await often(api)
        case .unavailable: try await api.send("GET", "/readyz")
        }
    }

    private static func reuse(_ api: TestAPI) async throws -> RawReply {
        let session = try await api.account().session
        let second = try Account.Session(try await api.refresh(session.refresh))
        _ = try await api.refresh(second.refresh)
        return try await api.refresh(session.refresh)
    }

    /// The store's other people are no owners once this has run.
    private static func lastOwner(_ api: TestAPI) async throws -> RawReply {
        try await api.sql(
            "update sineta.members set role = 'staff' where store_id = $1 and user_id <> $2",
            .id(TestAPI.north), .id(TestAPI.id(of: .owner)))
        return try await api.send(
            "DELETE", "\(store)/members/\(TestAPI.id(of: .owner))", as: .owner)
    }

    /// Somebody else holds the lock that a running twin holds.
    private static func twin(_ api: TestAPI) async throws -> RawReply {
        let pool = try api.database.pool(.superuser, size: 1)
        let name =
            "idempotency \(TestAPI.id(of: .owner)) POST /v1/stores/{store}/api-tokens twin"
        _ = try await pool.query(
            "select pg_advisory_lock(hashtextextended($1, 0))", .text(name),
            deadline: .after(.seconds(20)))
        let reply = try await twice(api, key: "twin", #"{"name":"a"}"#)
        await pool.close()
        return reply
    }

    private static func twice(
        _ api: TestAPI, key: String = "key", _ bodies: String...
    ) async throws -> RawReply {
        var last: RawReply?
        for body in bodies {
            last = try await api.send(
                "POST", "\(store)/api-tokens", as: .owner, headers: ["Idempotency-Key: \(key)"],
                body: body)
        }
        return try #require(last)
    }

    /// A device whose session ran out, tested from another session.
    private static func inactive(_ api: TestAPI) async throws -> RawReply {
        let account = try await api.account()
        let device = try await api.register(PushTokens.ios(1), for: account.session.access)
        let id = try #require(try device.json["id"]?.text)
        let other = try await api.signIn(account.email)
        try await api.sql(
            """
            update sineta.sessions set expires_at = now() - interval '1 second'
            where user_id = $1 and id <> $2
            """, .id(account.id), .optionalUUID(UUID(other.id)))
        return try await api.send("POST", "/v1/me/devices/\(id)/test", token: other.access)
    }

    private static func push(
        _ api: TestAPI, _ prepare: () -> Void
    ) async throws -> RawReply {
        let account = try await api.account()
        let device = try await api.register(PushTokens.ios(1), for: account.session.access)
        let id = try #require(try device.json["id"]?.text)
        prepare()
        return try await api.send(
            "POST", "/v1/me/devices/\(id)/test", token: account.session.access)
    }

    private static func tooLarge(_ api: TestAPI) async throws -> RawReply {
        let socket = try RawSocket(port: api.port)
        await socket.send(
            "POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1048577\r\n\r\n")
        return try #require(await socket.replies().first)
    }

    private static func locked(_ api: TestAPI) async throws -> RawReply {
        _ = try await api.send(
            "PUT", "\(store)/push-policy", as: .owner,
            body: #"{"default_events":[],"required_events":["orders.paid"]}"#)
        return try await api.send("PUT", preferences, as: .owner, body: none)
    }

    private static func often(_ api: TestAPI) async throws -> RawReply {
        _ = try await api.send("GET", "/v1/me", as: .owner)
        return try await api.send("GET", "/v1/me", as: .owner)
    }
}
