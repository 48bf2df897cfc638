public import Postgres
public import Runtime

extension Schema {
    /// Admits the login role of the server: a member of the three roles that statements run as,
    /// which inherits nothing from them. Runs as the schema's owner; `migrate` does so each time.
    public static func admit(
        login: String, pool: PostgresPool, deadline: Deadline
    ) async throws(PostgresError) {
        _ = try await pool.query(
            "select sineta.admit($1)", .text(login), deadline: deadline)
    }

    /// What forbids a login role to serve.
    public enum LoginFault: Error, Sendable, Equatable, CustomStringConvertible {
        case isSuperuser
        case bypassesRowSecurity
        case inherits(String)
        case isNotAdmitted(String)

        /// Names the role, and what to do.
        public var description: String {
            switch self {
            case .isSuperuser: "the database role is a superuser: row-level security is off for it"
            case .bypassesRowSecurity: "the database role has BYPASSRLS"
            case .inherits(let role): "the database role inherits \(role): make it NOINHERIT"
            case .isNotAdmitted(let role):
                "the database role is no member of \(role): run `sineta migrate`"
            }
        }
    }

    /// Nil when the role of the pool's sessions may serve.
    public static func loginFault(
        pool: PostgresPool, deadline: Deadline
    ) async throws(PostgresError) -> LoginFault? {
        let rows = try await pool.query(
            """
            select r.rolsuper, r.rolbypassrls,
              (select min(g.rolname::text) from pg_roles g where g.rolname like 'sineta\\_%'
                and g.oid <> r.oid and pg_has_role(r.oid, g.oid, 'usage')),
              (select min(n) from unnest(array['sineta_api', 'sineta_worker', 'sineta_operator']) n
                where not exists (select from pg_roles g where g.rolname = n
                  and pg_has_role(r.oid, g.oid, 'member')))
            from pg_roles r where r.rolname = session_user
            """, deadline: deadline)
        guard let row = rows.first else { throw .decoding("the session has no role") }
        if try row.bool(0) { return .isSuperuser }
        if try row.bool(1) { return .bypassesRowSecurity }
        if let role = try row.optionalText(2) { return .inherits(role) }
        return try row.optionalText(3).map { .isNotAdmitted($0) }
    }
}
