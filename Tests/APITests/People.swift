import Alerts
import Cryptography
import Postgres
import Runtime
import Storage
import TestKit
import Values

@testable import API

extension TestAPI {
    /// The people of the tests; all but operators and the removed belong to a store.
    private static let people: [Who] = [
        .owner, .staff, .manager, .stranger, .outsider, .removed, .operators, .expired, .ended,
    ]

    /// The id of somebody who has one: by their place above, so that tests can say it.
    static func id(of who: Who) -> UserID {
        let index = people.firstIndex(of: who) ?? 0
        return ID(UUID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0001_0000 + UInt64(index)))
    }

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
        ]
        for who in people {
            credentials[who] = try await person(who, pool, tokens)
        }
        let refresh = Tokens.refresh.make().reveal()
        try await run(
            pool,
            """
            insert into sineta.refresh_tokens (hash, session_id, generation)
            select $1, id, generation from sineta.sessions where user_id = $2
            """, .bytes(tokens.hash(refresh)), .id(id(of: .owner)))
        credentials[.refresh] = refresh
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
        let user = id(of: who).uuid
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
        guard ![.operators, .removed].contains(who) else { return token }
        let permissions: [Who: [Permission]] = [
            .staff: [], .manager: [.storeManage], .outsider: Permission.all,
        ]
        try await run(
            pool,
            """
            insert into sineta.members (store_id, user_id, role, permissions, joined_at)
            values ($1, $2, $3, $4, now())
            """, .id([.stranger, .outsider].contains(who) ? south : north), .uuid(user),
            .text(permissions[who] == nil ? "owner" : "staff"),
            .texts((permissions[who] ?? []).map(\.rawValue)))
        return token
    }

    private static func run(
        _ pool: PostgresPool, _ sql: StaticSQL, _ values: PostgresValue...
    ) async throws {
        _ = try await pool.query(PostgresQuery(sql, values), deadline: .after(.seconds(20)))
    }
}
