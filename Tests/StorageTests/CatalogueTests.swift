import Postgres
import Runtime
import Storage
import TestKit
import Testing
import Values

/// Holds what the schema promises against the catalogue of the database itself.
@Suite("Catalogue")
struct CatalogueTests {
    static func names(_ rows: PostgresRows) throws -> [String] {
        try rows.map { try $0.text(0) }
    }

    /// Tables whose rows belong to one store each.
    static let ofStores = [
        "alert_parts", "alerts", "api_tokens", "audit", "conversations", "deliveries", "emitters",
        "events", "inbox_marks", "members", "messages", "orders", "push_policies",
        "push_preferences", "required_kinds", "stock", "subject_settings", "templates",
    ]

    @Test("every table has row-level security, forced on its owner too")
    func rowSecurity() async throws {
        try await World.run { world in
            let open = try await world.rows(
                """
                select relname::text from pg_class c
                where relnamespace = 'sineta'::regnamespace and relkind in ('r', 'p')
                  and not (relrowsecurity and relforcerowsecurity) order by 1
                """)
            #expect(try Self.names(open) == [])
        }
    }

    @Test("every policy is for a role of ours, and the API's policies ask for a store or a person")
    func policies() async throws {
        try await World.run { world in
            let odd = try await world.rows(
                """
                select tablename || '.' || policyname from pg_policies
                where schemaname = 'sineta' and (
                  not roles <@ '{sineta_api,sineta_worker,sineta_operator,sineta_door}'::name[]
                  or ('sineta_api' = any (roles)
                    and coalesce(qual, with_check) not like '%app.stores%'
                    and coalesce(qual, with_check) not like '%app.user%'
                    and coalesce(qual, with_check) not like '%app.caller%'
                    and policyname not in ('storeless')))
                order by 1
                """)
            #expect(try Self.names(odd) == [])
        }
    }

    @Test("the store's key is read once a statement and not once a row")
    func settingIsASubselect() async throws {
        try await World.run { world in
            let slow = try await world.rows(
                """
                select tablename || '.' || policyname from pg_policies
                where schemaname = 'sineta' and coalesce(qual, with_check) like '%current_setting%'
                  and coalesce(qual, with_check) not like '%SELECT%current_setting%' order by 1
                """)
            #expect(try Self.names(slow) == [])
        }
    }

    @Test("keys of tables that belong to stores begin with the store")
    func keys() async throws {
        try await World.run { world in
            let rows = try await world.rows(
                """
                select c.relname::text, (
                    select array_agg(a.attname::text order by k.n) from pg_index i
                    cross join unnest(i.indkey) with ordinality k (attnum, n)
                    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
                    where i.indrelid = c.oid and i.indisprimary)
                from pg_class c join pg_attribute s on s.attrelid = c.oid
                  and s.attname = 'store_id' and not s.attisdropped
                where c.relnamespace = 'sineta'::regnamespace and c.relkind in ('r', 'p')
                  and not c.relispartition
                  and c.relname not in ('links', 'jobs', 'jobs_dead', 'fair_tags')
                order by 1
                """)
            #expect(try Self.names(rows) == Self.ofStores)
            for row in rows {
                let key = try row.texts(1)
                let table = try row.text(0)
                // Partitions need their own column first; the store follows at once.
                #expect(
                    key.first == "store_id" || Array(key.prefix(2)) == ["day", "store_id"],
                    "\(table)")
            }
            let unique = try await world.rows(
                """
                select indexrelid::regclass::text from pg_index i
                join pg_class c on c.oid = i.indrelid
                where c.relnamespace = 'sineta'::regnamespace and i.indisunique
                  and not i.indisprimary order by 1
                """)
            #expect(
                try Self.names(unique) == [
                    "sineta.devices_token",
                    "sineta.lanes_kind_credential_environment_urgency_key",
                    "sineta.users_email_key",
                ])
        }
    }

    @Test("there are no foreign keys")
    func foreignKeys() async throws {
        try await World.run { world in
            let count = try await world.count(
                """
                select count(*) from pg_constraint
                where contype = 'f' and connamespace = 'sineta'::regnamespace
                """)
            #expect(count == 0)
        }
    }

    @Test("our roles can neither log in nor pass by row-level security")
    func roles() async throws {
        try await World.run { world in
            let rows = try await world.rows(
                """
                select rolname::text from pg_roles where rolname like 'sineta\\_%'
                  and rolname in ('sineta_api', 'sineta_worker', 'sineta_operator', 'sineta_door',
                    'sineta_keeper')
                  and not (rolsuper or rolbypassrls or rolcanlogin or rolcreaterole or rolcreatedb
                    or rolinherit)
                order by 1
                """)
            #expect(
                try Self.names(rows) == [
                    "sineta_api", "sineta_door", "sineta_keeper", "sineta_operator",
                    "sineta_worker",
                ])
        }
    }

    @Test("definer functions fix their search path, belong to a role of ours, and are not public")
    func doors() async throws {
        try await World.run { world in
            let odd = try await world.rows(
                """
                select p.oid::regprocedure::text from pg_proc p
                where p.pronamespace = 'sineta'::regnamespace and (
                  (p.prosecdef and (
                    coalesce(p.proconfig::text, '') not like '%search_path=%pg_temp%'
                    or p.proowner not in ('sineta_door'::regrole, 'sineta_keeper'::regrole)))
                  or p.proacl is null
                  or exists (select from aclexplode(p.proacl) a where a.grantee = 0))
                order by 1
                """)
            #expect(try Self.names(odd) == [])
        }
    }

    @Test("nothing is granted to everybody, and partitions are reached through their parent alone")
    func grants() async throws {
        try await World.run { world in
            let odd = try await world.rows(
                """
                select c.relname || ' ' || coalesce(g.rolname, 'public') from pg_class c
                cross join aclexplode(c.relacl) a left join pg_roles g on g.oid = a.grantee
                where c.relnamespace = 'sineta'::regnamespace and (a.grantee = 0
                  or (c.relispartition and a.grantee <> c.relowner)) order by 1
                """)
            #expect(try Self.names(odd) == [])
        }
    }

    @Test("the API's role can neither change nor delete what is on record")
    func records() async throws {
        try await World.run { world in
            let rows = try await world.rows(
                """
                select table_name || ' ' || privilege_type
                from information_schema.role_table_grants
                where table_schema = 'sineta' and grantee = 'sineta_api'
                  and table_name in ('audit', 'deliveries', 'jobs', 'jobs_dead', 'alerts')
                order by 1
                """)
            #expect(
                try Self.names(rows) == [
                    "alerts SELECT", "audit INSERT", "audit SELECT", "deliveries SELECT",
                    "jobs INSERT", "jobs SELECT", "jobs_dead SELECT",
                ])
        }
    }

    @Test("no role but the doors reads password hashes")
    func passwordHashes() async throws {
        try await World.run { world in
            let rows = try await world.rows(
                """
                select r::text from unnest(array['sineta_api', 'sineta_worker', 'sineta_operator']) r
                where has_column_privilege(r, 'sineta.users', 'password_hash', 'select')
                """)
            #expect(rows.isEmpty)
        }
    }

    @Test("operators read nothing of free form but attempts and the audit log")
    func operators() async throws {
        try await World.run { world in
            let rows = try await world.rows(
                """
                select c.relname || '.' || a.attname from pg_class c
                join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                where c.relnamespace = 'sineta'::regnamespace and c.relkind in ('r', 'p')
                  and a.atttypid in ('jsonb'::regtype, 'json'::regtype)
                  and has_column_privilege('sineta_operator', c.oid, a.attnum, 'select')
                order by 1
                """)
            #expect(
                try Self.names(rows) == [
                    "audit.after", "audit.before", "deliveries.tries", "jobs.tries",
                    "jobs_dead.tries",
                ])
        }
    }

    @Test(
        "a login role that sees more than its turn allows, or may take too few, is told so",
        arguments: [
            ("noinherit bypassrls", ["api", "worker", "operator"], .bypassesRowSecurity),
            ("inherit", ["worker"], .inherits("sineta_worker")),
            ("inherit", ["api", "worker", "operator"], .inherits("sineta_api")),
            ("noinherit", [], .isNotAdmitted("sineta_api")),
            ("noinherit", ["api", "worker"], .isNotAdmitted("sineta_operator")),
            ("noinherit", ["api", "worker", "operator"], nil),
        ] as [(String, [String], Schema.LoginFault?)])
    func loginFaults(kind: String, roles: [String], fault: Schema.LoginFault?) async throws {
        try await World.run { world in
            let role = "login_\(UUID.random().description.prefix(8))"
            let grants = roles.map { "grant sineta_\($0) to \(role);" }.joined()
            try await world.database.run("create role \(role) login \(kind); \(grants)")
            let pool = PostgresPool(
                try world.database.configuration(.superuser).with(user: role), name: "login",
                size: 1, log: .silent, metrics: nil)
            let found: Result<Schema.LoginFault?, any Error>
            do {
                found = .success(
                    try await Schema.loginFault(pool: pool, deadline: World.deadline))
            } catch {
                found = .failure(error)
            }
            await pool.close()
            try await world.database.run("drop role \(role)")
            #expect(try found.get() == fault)
        }
    }

    @Test("the login role may serve, and a superuser may not")
    func login() async throws {
        try await World.run { world in
            #expect(
                try await Schema.loginFault(pool: world.pool, deadline: World.deadline) == nil)
            let superuser = try world.database.pool(.superuser, size: 1)
            #expect(
                try await Schema.loginFault(pool: superuser, deadline: World.deadline)
                    == .isSuperuser)
        }
    }

    @Test("outside a role the login sees nothing at all")
    func withoutRole() async throws {
        try await World.run { world in
            _ = await #expect(throws: PostgresError.self) {
                _ = try await world.pool.query(
                    "select count(*) from sineta.stores", deadline: World.deadline)
            }
        }
    }
}
