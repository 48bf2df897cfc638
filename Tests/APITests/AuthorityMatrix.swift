import Alerts
import HTTPServer
import JSON
import Postgres
import Storage
import TestKit
import Testing
import Values

@testable import API

/// Who may call what, told a second time: by hand, from the written description of the API and not
/// from the declarations.
enum AuthorityMatrix {
    enum Right: Equatable {
        case anyone
        /// Any person; an id in the path is somebody else's, who alone may.
        case person
        case member
        case permission(Permission)
        case storeToken
        /// A member, or the store's API token.
        case memberOrToken
        /// The store's API token, or a member with a permission.
        case tokenOrPermission(Permission)
        case operators

        /// The word of the permission that a member must have.
        var permission: String? {
            switch self {
            case .permission(let permission), .tokenOrPermission(let permission):
                permission.rawValue
            default: nil
            }
        }
    }

    struct Row {
        let right: Right
        /// One that would have an effect.
        let body: String?

        init(_ right: Right, _ body: String? = nil) {
            self.right = right
            self.body = body
        }
    }

    private static let settings = #"{"is_enabled":false,"enabled_events":[]}"#
    private static let minimums = #"{"BRL":"9.00"}"#
    private static let until = #"{"until":null}"#

    static let rows: [String: Row] = [
        "GET /healthz": Row(.anyone), "GET /readyz": Row(.anyone),
        "GET /openapi.json": Row(.anyone),
        "POST /v1/auth/login": Row(.anyone), "POST /v1/auth/refresh": Row(.anyone),
        "POST /v1/auth/logout": Row(.anyone), "POST /v1/auth/accept-invite": Row(.anyone),

        "GET /v1/me": Row(.person), "PATCH /v1/me": Row(.person, #"{"name":"New"}"#),
        "POST /v1/me/password": Row(
            .person, #"{"current_password":"a","new_password":"0123456789"}"#),
        "GET /v1/me/sessions": Row(.person), "DELETE /v1/me/sessions/{session}": Row(.person),
        "GET /v1/me/stores": Row(.person),
        "POST /v1/me/devices": Row(.person, #"{"platform":"android","token":"new"}"#),
        "GET /v1/me/devices": Row(.person), "GET /v1/me/devices/removed": Row(.person),
        "DELETE /v1/me/devices/{device}": Row(.person),
        "POST /v1/me/devices/{device}/test": Row(.person),
        "GET /v1/me/alerts": Row(.person),
        "POST /v1/me/alerts/read": Row(.person, #"{"up_to":"\#(ids["alert"] ?? "")"}"#),

        "GET /v1/stores/{store}": Row(.member),
        "PATCH /v1/stores/{store}": Row(.permission(.storeManage), #"{"name":"New"}"#),
        "GET /v1/stores/{store}/members": Row(.permission(.membersManage)),
        "POST /v1/stores/{store}/members": Row(
            .permission(.membersManage), #"{"email":"new@example.com","role":"staff"}"#),
        "PATCH /v1/stores/{store}/members/{user}": Row(
            .permission(.membersManage), #"{"permissions":["orders.read"]}"#),
        "DELETE /v1/stores/{store}/members/{user}": Row(.permission(.membersManage)),
        "POST /v1/stores/{store}/members/{user}/reset": Row(.permission(.membersManage)),
        "GET /v1/stores/{store}/api-tokens": Row(.permission(.storeManage)),
        "POST /v1/stores/{store}/api-tokens": Row(.permission(.storeManage), #"{"name":"a"}"#),
        "DELETE /v1/stores/{store}/api-tokens/{token}": Row(.permission(.storeManage)),
        "GET /v1/stores/{store}/me/push-preferences": Row(.member),
        "PUT /v1/stores/{store}/me/push-preferences": Row(.member, settings),
        "PUT /v1/stores/{store}/me/push-preferences/minimums": Row(.member, minimums),
        "GET /v1/stores/{store}/me/mutes/{subject}/{id}": Row(.member),
        "PUT /v1/stores/{store}/me/mutes/{subject}/{id}": Row(.member, until),
        "DELETE /v1/stores/{store}/me/mutes/{subject}/{id}": Row(.member),
        "GET /v1/stores/{store}/members/{user}/push-preferences": Row(
            .permission(.membersManage)),
        "PUT /v1/stores/{store}/members/{user}/push-preferences": Row(
            .permission(.membersManage), settings),
        "PUT /v1/stores/{store}/members/{user}/push-preferences/minimums": Row(
            .permission(.membersManage), minimums),
        "GET /v1/stores/{store}/members/{user}/mutes/{subject}/{id}": Row(
            .permission(.membersManage)),
        "PUT /v1/stores/{store}/members/{user}/mutes/{subject}/{id}": Row(
            .permission(.membersManage), until),
        "DELETE /v1/stores/{store}/members/{user}/mutes/{subject}/{id}": Row(
            .permission(.membersManage)),
        "GET /v1/stores/{store}/push-policy": Row(.permission(.storeManage)),
        "PUT /v1/stores/{store}/push-policy": Row(
            .permission(.storeManage), #"{"default_events":[],"required_events":["orders.paid"]}"#),
        "GET /v1/stores/{store}/audit": Row(.permission(.storeManage)),
        "GET /v1/stores/{store}/coverage": Row(.permission(.membersManage)),
        "GET /v1/stores/{store}/orders/{order}": Row(.permission(.ordersRead)),
        "GET /v1/stores/{store}/conversations/{conversation}": Row(
            .permission(.conversationsRead)),
        "GET /v1/stores/{store}/conversations/counts": Row(.permission(.conversationsRead)),
        "GET /v1/stores/{store}/variants/{variant}/stock": Row(.permission(.inventoryRead)),
        "GET /v1/stores/{store}/alerts": Row(.memberOrToken),
        "GET /v1/stores/{store}/alerts/{alert}": Row(.memberOrToken),
        "GET /v1/stores/{store}/templates": Row(.permission(.storeManage)),
        "PUT /v1/stores/{store}/templates/{kind}/{language}": Row(
            .permission(.storeManage), #"{"title":"T","body":"B"}"#),
        "DELETE /v1/stores/{store}/templates/{kind}/{language}": Row(.permission(.storeManage)),
        "POST /v1/stores/{store}/templates/{kind}/{language}/preview": Row(
            .permission(.storeManage), "{}"),
        "POST /v1/stores/{store}/events": Row(
            .tokenOrPermission(.alertsRead),
            #"{"id":"e1","type":"orders.created","data":{"order_id":"\#(UUID.zero)","number":"1","total":{"amount":"1.00","currency":"BRL"}}}"#
        ),

        "POST /v1/ops/stores": Row(
            .operators,
            #"{"name":"N","time_zone":"UTC","locale":"pt","currency":"BRL","owner_email":"o@example.com"}"#
        ),
        "GET /v1/ops/stores": Row(.operators), "GET /v1/ops/overview": Row(.operators),
        "GET /v1/ops/stream": Row(.operators), "GET /v1/ops/dead-letters": Row(.operators),
        "GET /v1/ops/dead-letters/counts": Row(.operators),
        "GET /v1/ops/dead-letters/{letter}": Row(.operators),
        "POST /v1/ops/dead-letters/retry": Row(.operators, #"{"reason":"BadTopic"}"#),
        "POST /v1/ops/dead-letters/discard": Row(
            .operators, #"{"reason":"BadTopic","note":"why"}"#),
        "GET /v1/ops/providers": Row(.operators), "POST /v1/ops/providers/check": Row(.operators),
        "GET /v1/ops/audit": Row(.operators),
    ]

    /// What stands in the places of paths: things that are there, of `north` and of a person who
    /// never calls.
    static let ids: [String: String] = [
        "store": TestAPI.north.description, "user": victim.description,
        "device": "01900000-0000-7000-8000-0000000000d1",
        "session": "01900000-0000-7000-8000-0000000000e1",
        "token": "01900000-0000-7000-8000-0000000000f1",
        "alert": "01900000-0000-7000-8000-0000000000a1",
        "letter": "01900000-0000-7000-8000-0000000000a2",
        "order": "01900000-0000-7000-8000-0000000000b1",
        "conversation": "01900000-0000-7000-8000-0000000000b2",
        "variant": "01900000-0000-7000-8000-0000000000b3",
        "subject": "variant", "id": "01900000-0000-7000-8000-0000000000b3",
        "kind": "orders.paid", "language": "pt",
    ]

    static let victim: UserID = ID(UUID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_00C1))

    /// What stands in answers of `north`, and must not get out.
    static let secrets =
        ["North", "victim", "north-token", victim.description]
        + ["device", "session", "token"].compactMap { ids[$0] }

    /// A path with its places filled.
    static func path(_ endpoint: Endpoint) -> String {
        endpoint.path.segments.reduce(into: "") { text, segment in
            switch segment {
            case .literal(let literal): text += "/\(literal)"
            case .place(let name, _): text += "/\(ids[name] ?? name)"
            }
        }
    }

    /// What a caller must be told; nil: they may go on.
    static func refusal(
        _ right: Right, _ who: TestAPI.Who, namesAnother: Bool
    ) -> ErrorCode? {
        if right == .anyone { return nil }
        switch who {
        case .nobody, .garbage, .unknown, .expired, .refresh: return .unauthenticated
        case .ended: return .sessionEnded
        case .backend: return isForTokens(right) ? nil : .sessionRequired
        case .otherBackend: return isForTokens(right) ? .notFound : .sessionRequired
        case .owner, .staff, .manager, .stranger, .outsider, .removed, .operators: break
        }
        switch right {
        case .anyone: return nil
        case .storeToken: return .forbidden
        case .operators: return who == .operators ? nil : .forbidden
        case .person: return namesAnother ? .notFound : nil
        case .member, .memberOrToken, .permission, .tokenOrPermission:
            if [.stranger, .outsider, .removed, .operators].contains(who) { return .notFound }
            return holds(right, who) ? nil : .forbidden
        }
    }

    private static func isForTokens(_ right: Right) -> Bool {
        switch right {
        case .storeToken, .memberOrToken, .tokenOrPermission: true
        default: false
        }
    }

    private static func holds(_ right: Right, _ who: TestAPI.Who) -> Bool {
        switch right {
        case .member, .memberOrToken: true
        default: who == .owner || (who == .manager && right == .permission(.storeManage))
        }
    }
}

extension TestAPI {
    /// Makes what the paths of the matrix name.
    func fillMatrix() async throws {
        let victim = PostgresValue.id(AuthorityMatrix.victim)
        // An id that the matrix lacks is null, and no column here takes that.
        func id(_ name: String) -> PostgresValue {
            .optionalUUID(AuthorityMatrix.ids[name].flatMap { UUID($0) })
        }
        try await sql(
            "insert into sineta.users (id, email, name) values ($1, 'victim@example.com', 'victim')",
            victim)
        try await sql(
            """
            insert into sineta.members (store_id, user_id, role, joined_at)
            values ($1, $2, 'staff', now())
            """, .id(Self.north), victim)
        try await sql(
            """
            insert into sineta.sessions (id, user_id, expires_at)
            values ($1, $2, now() + interval '1 day')
            """, id("session"), victim)
        try await sql(
            """
            insert into sineta.devices (id, user_id, session_id, platform, transport, app_id, token,
              token_hash) values ($1, $2, $3, 'ios', 'apns', 'default', 'abcd', '\\x01')
            """, id("device"), victim, id("session"))
        try await sql(
            """
            insert into sineta.api_tokens (store_id, id, name, prefix, hash)
            values ($1, $2, 'north-token', 'sk_', '\\x02')
            """, .id(Self.north), id("token"))
        try await sql(
            """
            insert into sineta.subject_settings (store_id, user_id, subject_kind, subject_id,
              muted_until) values ($1, $2, 'variant', $3, 'infinity')
            """, .id(Self.north), victim, .optionalText(AuthorityMatrix.ids["id"]))
        try await removeMember()
        // A token's first use is noted, which must not look like an effect.
        try await sql("update sineta.api_tokens set last_used_at = now()")
    }

    /// What deletes of the matrix took, anew.
    func refill() async throws {
        try await sql(
            """
            insert into sineta.members (store_id, user_id, role, joined_at)
            values ($1, $2, 'staff', now()) on conflict do nothing
            """, .id(Self.north), .id(AuthorityMatrix.victim))
        try await sql(
            """
            insert into sineta.api_tokens (store_id, id, name, prefix, hash)
            values ($1, $2, 'north-token', 'sk_', '\\x02') on conflict do nothing
            """, .id(Self.north), .optionalUUID(AuthorityMatrix.ids["token"].flatMap { UUID($0) }))
        try await sql(
            """
            insert into sineta.subject_settings (store_id, user_id, subject_kind, subject_id,
              muted_until)
            select store_id, user_id, 'variant', $2, 'infinity' from sineta.members
            where store_id = $1 on conflict do nothing
            """, .id(Self.north), .optionalText(AuthorityMatrix.ids["id"]))
    }

    /// Somebody was staff of `north` with every permission, and was seen to be, until the owner
    /// removed them.
    private func removeMember() async throws {
        let user = Self.id(of: .removed)
        try await sql(
            """
            insert into sineta.members (store_id, user_id, role, permissions, joined_at)
            values ($1, $2, 'staff', $3, now())
            """, .id(Self.north), .id(user), .texts(Permission.all.map(\.rawValue)))
        #expect(try await send("GET", Self.norths, as: .removed).status == 200)
        let reply = try await send("DELETE", "\(Self.norths)/members/\(user)", as: .owner)
        #expect(reply.status == 204, "\(reply.text)")
    }

    /// All rows of all tables, but for the moments of use.
    ///
    /// - Parameter text: only those in which it stands.
    func snapshot(naming text: String = "") async throws -> String {
        let rows = try await sql(
            """
            select string_agg(c.relname || ' ' || query_to_xml(format(
              'select md5(string_agg(j, '' '' order by j)) from (select (to_jsonb(t) - '
              '''last_used_at'')::text as j from sineta.%I t) x where strpos(j, %L) > 0',
              c.relname, $1), true, true, '')::text,
              E'\\n' order by c.relname)
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname = 'sineta' and c.relkind in ('r', 'p') and not c.relispartition
            """, .text(text))
        return try #require(rows.first).text(0)
    }

    /// Sends without a socket.
    func ask(_ endpoint: Endpoint, as who: Who, body: String?) async -> (Int, JSONValue?, String) {
        var headers: HTTPHeaders = ["Host": "test", "X-Request-Id": "same"]
        if let token = credentials[who] { headers.add("Authorization", "Bearer \(token)") }
        if body != nil { headers.add("Content-Type", "application/json") }
        let response = await front.answer(
            HTTPRequest(
                head: HTTPRequestHead(
                    method: endpoint.method.rawValue, path: AuthorityMatrix.path(endpoint),
                    // People may try events without storing them.
                    query: who == .owner ? "dry_run=true" : "", headers: headers),
                body: Array((body ?? "").utf8)))
        guard case .bytes(let bytes) = response.body else { return (response.status, nil, "") }
        return (
            response.status, try? JSONValue.parse(bytes), String(decoding: bytes, as: UTF8.self)
        )
    }
}
