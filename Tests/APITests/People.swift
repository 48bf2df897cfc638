import Cryptography
import Postgres
import Runtime
import Storage
import TestKit
import Values

@testable import API

extension TestAPI {
    /// Makes the stores and the people, and gives out their tokens.
    static func people(
        _ database: TestDatabase, _ tokens: Tokens
    ) async throws -> [Who: String] {
        let pool = try database.pool(.superuser, size: 1)
        for (store, name) in [(north, "North"), (south, "South")] {
            try await run(
                pool,
                """
                insert into sineta.stores (id, name, time_zone, locale, currency)
                values ($1, $2, 'America/Sao_Paulo', 'pt-BR', 'BRL')
                """, .id(store), .text(name))
        }
        var credentials: [Who: String] = [
            .garbage: "at_garbage", .unknown: Tokens.access.make().reveal(),
            .refresh: Tokens.refresh.make().reveal(),
        ]
        for who in [Who.owner, .staff, .manager, .stranger, .operators, .expired, .ended] {
            credentials[who] = try await person(who, pool, tokens)
        }
        for (who, store) in [(Who.backend, north), (.otherBackend, south)] {
            let token = Tokens.store.make().reveal()
            try await run(
                pool,
                """
                insert into sineta.api_tokens (store_id, id, name, prefix, hash)
                values ($1, $2, 'shop', 'sk', $3)
                """, .id(store), .uuid(.v7()), .bytes(tokens.hash(token)))
            credentials[who] = token
        }
        return credentials
    }

    private static func person(
        _ who: Who, _ pool: PostgresPool, _ tokens: Tokens
    ) async throws -> String {
        let user = UUID.v7()
        let session = UUID.v7()
        let token = Tokens.access.make().reveal()
        try await run(
            pool,
            "insert into sineta.users (id, email, name, is_operator) values ($1, $2, $3, $4)",
            .uuid(user), .text("\(who.rawValue.lowercased())@example.com"), .text(who.rawValue),
            .bool(who == .operators))
        try await run(
            pool,
            """
            insert into sineta.sessions (id, user_id, expires_at, ended_at)
            values ($1, $2, now() + interval '30 days', case when $3 then now() end)
            """, .uuid(session), .uuid(user), .bool(who == .ended))
        try await run(
            pool,
            """
            insert into sineta.access_tokens (hash, session_id, expires_at)
            values ($1, $2, now() + case when $3 then -1 else 900 end * interval '1 second')
            """, .bytes(tokens.hash(token)), .uuid(session), .bool(who == .expired))
        guard who != .operators else { return token }
        try await run(
            pool,
            """
            insert into sineta.members (store_id, user_id, role, permissions, joined_at)
            values ($1, $2, $3, $4, now())
            """, .id(who == .stranger ? south : north), .uuid(user),
            .text([.staff, .manager].contains(who) ? "staff" : "owner"),
            .texts(who == .manager ? ["store.manage"] : []))
        return token
    }

    private static func run(
        _ pool: PostgresPool, _ sql: StaticSQL, _ values: PostgresValue...
    ) async throws {
        _ = try await pool.query(PostgresQuery(sql, values), deadline: .after(.seconds(20)))
    }
}
