import JSON
import Jobs
import Postgres
import Runtime
import Storage
import TestKit
import Testing
import Values

@testable import API

/// Dead letters of `north` and their devices, put there as they lie.
struct Graveyard: Sendable {
    let api: TestAPI
    let owner: UserID
    private let pool: PostgresPool

    init(_ api: TestAPI) async throws {
        self.api = api
        pool = try api.database.pool(.superuser, size: 1)
        let rows = try await pool.query(
            "select user_id from sineta.members where store_id = $1 and role = 'owner'",
            .id(TestAPI.north), deadline: .after(.seconds(20)))
        owner = try #require(try rows.first?.id(0))
    }

    func run(_ sql: StaticSQL, _ values: PostgresValue...) async throws -> PostgresRows {
        try await pool.query(PostgresQuery(sql, values), deadline: .after(.seconds(20)))
    }

    func count(_ sql: StaticSQL) async throws -> Int { try await run(sql)[0].int(0) }

    /// A device of the owner of `north`.
    func device() async throws -> DeviceID {
        let id = DeviceID(.v7())
        _ = try await run(
            """
            insert into sineta.devices (id, user_id, session_id, platform, transport, app_id, token,
              token_hash)
            values ($1, $2, $3, 'ios', 'apns', 'default', $4, decode(md5($4), 'hex'))
            """, .id(id), .id(owner), .uuid(.v7()), .text(id.description))
        return id
    }

    /// A push that died.
    ///
    /// - Parameters:
    ///   - device: nil for one that is gone.
    ///   - wasAccepted: whether a line says that the device took it.
    @discardableResult
    func bury(
        _ reason: String = "InvalidProviderToken", of store: StoreID = TestAPI.north,
        device: DeviceID? = nil, isStale: Bool = false, wasAccepted: Bool = false
    ) async throws -> JobID {
        let id = JobID(.v7())
        _ = try await run(
            """
            insert into sineta.jobs_dead (id, store_id, subject, target, member, kind, lane,
              attempts, reason, tries, expires_at)
            values ($1, $2, gen_random_uuid(), $3, $4, 'push.deliver', 10, 1, $5,
              jsonb_build_array(jsonb_build_object(
                'at', '2026-01-02T03:04:05Z', 'status', 403, 'reason', $5)),
              now() + case when $6 then -1 else 3600 end * interval '1 second')
            """, .id(id), .id(store), .id(device ?? DeviceID(.v7())), .id(owner), .text(reason),
            .bool(isStale))
        guard wasAccepted else { return id }
        _ = try await run(
            """
            insert into sineta.deliveries (day, store_id, alert_id, device_id, id, user_id,
              raised_at, attempts, outcome)
            select (raised_at at time zone 'UTC')::date, store_id, subject, target, id, member,
              raised_at, 1, 'accepted' from sineta.jobs_dead where id = $1
            """, .id(id))
        return id
    }
}

extension RawReply {
    /// The ids of a list.
    var ids: [String] {
        get throws { try json["data"]?.array?.compactMap { $0["id"]?.text } ?? [] }
    }
}
