import Alerts
import Cryptography
import JSON
import Postgres
import Runtime
import TestKit
import Testing
import Values

@testable import API

/// Somebody who signed in by the API itself.
struct Account: Sendable {
    static let password = "correct horse"

    let id: UserID
    let email: String
    let session: Session

    /// What signing in and refreshing answer.
    struct Session: Sendable {
        let access: String
        let refresh: String
        let id: String

        init(_ reply: RawReply) throws {
            let json = try reply.json
            access = try #require(json["access_token"]?.text, "\(reply.text)")
            refresh = try #require(json["refresh_token"]?.text)
            id = try #require(json["session"]?["id"]?.text)
        }
    }
}

extension TestAPI {
    /// A person with a password, a member of a store if one is named, who has signed in.
    func account(
        _ name: String = "ana", in store: StoreID? = nil, role: Role = .staff,
        permissions: [Permission] = Permission.staffDefaults, locale: String? = nil
    ) async throws -> Account {
        let id = UserID(.v7())
        let email = "\(name)-\(id)@example.com"
        let hash = try await parts.hasher.hash(Secret(Account.password))
        try await sql(
            """
            insert into sineta.users (id, email, name, locale, password_hash)
            values ($1, $2, $3, $4, $5)
            """, .id(id), .text(email), .text(name), .optionalText(locale), .text(hash))
        if let store {
            try await sql(
                """
                insert into sineta.members (store_id, user_id, role, permissions, joined_at)
                values ($1, $2, $3, $4, now())
                """, .id(store), .id(id), .text(role.rawValue),
                .texts(permissions.map(\.rawValue)))
        }
        return Account(id: id, email: email, session: try await signIn(email))
    }

    /// Another session of somebody.
    func signIn(
        _ email: String, password: String = Account.password
    ) async throws -> Account.Session {
        try Account.Session(try await login(email, password))
    }

    func login(
        _ email: String, _ password: String, headers: [String] = []
    ) async throws -> RawReply {
        let body: JSONValue = [
            "email": .text(email), "password": .text(password), "device_name": "Phone",
        ]
        return try await send(
            "POST", "/v1/auth/login", headers: headers,
            body: String(decoding: body.encoded, as: UTF8.self))
    }

    func refresh(_ token: String) async throws -> RawReply {
        try await send("POST", "/v1/auth/refresh", body: #"{"refresh_token":"\#(token)"}"#)
    }

    /// Registers a device; 64 hexadecimal digits unless the token says otherwise.
    func register(
        _ token: String, for session: String, platform: String = "ios", more: String = ""
    ) async throws -> RawReply {
        try await send(
            "POST", "/v1/me/devices", token: session,
            body: #"{"platform":"\#(platform)","token":"\#(token)"\#(more)}"#)
    }

    /// The ids of somebody's devices.
    func devices(of session: String) async throws -> [String] {
        try await send("GET", "/v1/me/devices", token: session).json["data"]?.array?
            .compactMap { $0["id"]?.text } ?? []
    }

    /// Looks or arranges behind the scenes, past every policy.
    @discardableResult
    func sql(_ sql: StaticSQL, _ values: PostgresValue...) async throws -> PostgresRows {
        try await database.pool(.superuser, size: 1).query(
            PostgresQuery(sql, values), deadline: .after(.seconds(20)))
    }

    func count(_ sql: StaticSQL, _ values: PostgresValue...) async throws -> Int {
        let rows = try await database.pool(.superuser, size: 1).query(
            PostgresQuery(sql, values), deadline: .after(.seconds(20)))
        return try rows.first?.int(0) ?? -1
    }

    /// So many at once, in the order in which they ended.
    func atOnce<Result: Sendable>(
        _ count: Int, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: Result.self) { group in
            for _ in 0..<count { group.addTask { try await body() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}

enum PushTokens {
    /// A token of an iPhone that ends in a number.
    static func ios(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "ab", count: 30) + String(repeating: "0", count: 4 - digits.count)
            + digits
    }
}
