import Alerts
public import Postgres
import Runtime
import Values

/// The roles that statements run as; the login role is a member of them and inherits nothing.
public enum DatabaseRole: String, Sendable {
    case api = "sineta_api"
    case worker = "sineta_worker"
    case `operator` = "sineta_operator"

    /// Takes the role until the transaction ends.
    public var query: PostgresQuery { .taking(role: rawValue) }
}

extension PostgresPool {
    /// Runs one statement as the role, which the pool's sessions have or the statement takes.
    func query(
        _ query: PostgresQuery, as role: DatabaseRole, deadline: Deadline
    ) async throws(PostgresError) -> PostgresRows {
        try await self.query(query, as: role.rawValue, deadline: deadline)
    }
}

/// How a request begins: the role and the row-level security context, in the round trip of BEGIN.
public enum Entry {
    /// What stands in `Authorization`, as its hash.
    public enum Credential: Sendable {
        case accessToken([UInt8])
        case apiToken([UInt8])
    }

    /// What the door said.
    public enum Answer: Sendable {
        case entered(Caller)
        /// No such token, or it ran out.
        case unknown
        case sessionEnded
        /// The transaction runs as `.operator`, and the caller is none: no statement may follow.
        case noOperator(Caller)
    }

    /// The preamble of a transaction that serves a caller; `answer(of:)` reads what came of it.
    ///
    /// - Parameter role: `.operator` for `/v1/ops/*`: the door lets nobody else in.
    public static func preamble(
        _ credential: Credential, role: DatabaseRole = .api
    ) -> [PostgresQuery] {
        switch credential {
        case .accessToken(let hash): [role.query, enter(hash, isAPIToken: false)]
        case .apiToken(let hash): [role.query, enter(hash, isAPIToken: true)]
        }
    }

    /// The preamble of a transaction without a caller: signing in, taking a link.
    public static func preamble(role: DatabaseRole) -> [PostgresQuery] { [role.query] }

    /// Who came in by `preamble(_:role:)`, whose rows stand first.
    public static func answer(of rows: [PostgresRows]) throws(PostgresError) -> Answer {
        guard rows.count > 1, let row = rows[1].first else {
            throw .decoding("the preamble has no answer")
        }
        switch try row.text(0) {
        case "ok": return .entered(try caller(row))
        case "session_ended": return .sessionEnded
        case "no_operator": return .noOperator(try caller(row))
        default: return .unknown
        }
    }

    private static func enter(_ hash: [UInt8], isAPIToken: Bool) -> PostgresQuery {
        PostgresQuery(
            """
            select answer, user_id, session_id, token_id, is_operator, email, name, locale, stores,
              roles, permissions
            from sineta.enter($1, $2)
            """, .bytes(hash), .bool(isAPIToken))
    }

    private static func caller(_ row: PostgresRow) throws(PostgresError) -> Caller {
        let stores = try row.uuids(8)
        guard let user = try row.optionalUUID(1) else {
            guard let store = stores.first else { throw .decoding("a token without a store") }
            return .backend(store: ID(store), token: try row.id(3))
        }
        let roles = try row.texts(9)
        let permissions = try row.texts(10)
        var memberships: [Caller.Membership] = []
        for (index, store) in stores.enumerated() {
            memberships.append(
                try membership(ID(store), role: roles[index], granted: permissions[index]))
        }
        return .person(
            Caller.Person(
                id: ID(user), session: try row.id(2), isOperator: try row.bool(4),
                email: try row.text(5), name: try row.text(6), locale: try row.optionalText(7),
                memberships: memberships))
    }

    static func membership(
        _ store: StoreID, role: String, granted: String
    ) throws(PostgresError) -> Caller.Membership {
        guard let role = Role(rawValue: role) else { throw .decoding("there is no such role") }
        let granted = granted.split(separator: " ").map { Permission(rawValue: String($0)) }
        return Caller.Membership(
            store: store, role: role, permissions: role.permissions(granted: granted))
    }
}
