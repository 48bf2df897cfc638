import Alerts
import Postgres
import TestKit
import Testing
import Values

@testable import Storage

/// Plans of the hot reads on filled tables, as the roles that run them: an index that stops being
/// used under row-level security is found here and not under load.
@Suite("Plans")
struct PlanTests {
    /// 200 stores with 200 rows each of what grows. One by one: a script has 30 seconds, which all
    /// of them together need where other tests run beside.
    static let fill = [
        """
        insert into sineta.stores (id, name, time_zone, locale, currency)
          select gen_random_uuid(), 's', 'UTC', 'pt-BR', 'BRL' from generate_series(1, 200)
        """,
        """
        insert into sineta.events (store_id, external_id, id, type, occurred_at, received_at)
          select s.id, 'e' || n, sineta.uuid7(), 'orders.paid', now(), now() + n * interval '1 s'
          from sineta.stores s, generate_series(1, 200) n
        """,
        """
        insert into sineta.alerts (store_id, id, kind, occurred_at, raised_at, expires_at,
            decided_at, subject_kind, subject_id, subject, content, decisions, recipients,
            is_unheard)
          select s.id, sineta.uuid7(), 'orders.paid', now(), now(), now(), now(), 'order',
            'o' || n, '{}', '{}', '[]', array[s.id], n % 50 = 0
          from sineta.stores s, generate_series(1, 200) n
        """,
        """
        insert into sineta.conversations (store_id, id, unread)
          select s.id, 'c' || n, case when n % 20 = 0 then 1 else 0 end
          from sineta.stores s, generate_series(1, 200) n
        """,
        """
        insert into sineta.audit (store_id, actor, act, subject)
          select s.id, 'a', 'b', 'c' from sineta.stores s, generate_series(1, 200) n
        """,
        "analyze",
    ]

    /// Statements and the index by which each must go.
    static let reads: [(name: String, role: String, index: String, sql: String)] = [
        (
            "an alert by id", "sineta_api", "alerts_pkey",
            "select * from sineta.alerts where store_id = (table one) and id = (table one)"
        ),
        (
            "a store's alerts", "sineta_api", "alerts_(pkey|subject|unheard)",
            "select * from sineta.alerts where store_id = (table one) order by id desc limit 50"
        ),
        (
            "a subject's alerts", "sineta_api", "alerts_subject",
            """
            select * from sineta.alerts where store_id = (table one) and subject_id = 'o7'
            order by id desc limit 50
            """
        ),
        (
            "unheard alerts", "sineta_api", "alerts_unheard",
            """
            select * from sineta.alerts where store_id = (table one) and is_unheard
            order by id desc limit 50
            """
        ),
        (
            "an event by its id", "sineta_api", "events_received",
            """
            select * from sineta.events where store_id = (table one) and id = (table one)
              and received_at between now() and now() + interval '2 s'
            """
        ),
        (
            "the badge", "sineta_worker", "conversations_waiting",
            """
            select assignee_id, count(*) from sineta.conversations
            where store_id = (table one) and is_waiting group by 1
            """
        ),
        (
            "counts", "sineta_api", "conversations_status",
            "select count(*) from sineta.conversations where store_id = (table one) and status = 'open'"
        ),
        (
            "the audit log", "sineta_api", "audit_pkey",
            "select * from sineta.audit where store_id = (table one) order by id desc limit 50"
        ),
    ]

    @Test("hot reads go by an index, under row-level security too")
    func indexes() async throws {
        try await World.run { world in
            for statement in Self.fill { try await world.database.run(statement) }
            for read in Self.reads {
                // The plan is looked at inside the database: a sequential scan raises.
                let script = """
                    begin;
                    create temporary table one as select id from sineta.stores limit 1;
                    grant select on one to public;
                    select set_config('app.stores', array(table one)::text, true),
                      set_config('role', '\(read.role)', true);
                    do $test$
                    declare line text; plan text := '';
                    begin
                      for line in execute 'explain ' || replace($q$\(read.sql)$q$, '(table one)',
                          (select format('%L::uuid', id) from one)) loop
                        plan := plan || line || chr(10);
                      end loop;
                      if plan ~ 'Seq Scan on (alerts|events|conversations|audit)'
                         or plan !~ '\(read.index)' then
                        raise '%', plan;
                      end if;
                    end $test$;
                    rollback;
                    """
                do {
                    try await world.database.run(script)
                } catch PostgresError.server(let fault) {
                    Issue.record("\(read.name): \(fault.message)")
                }
            }
        }
    }

    /// What is asked for each push and each alert, with the parameters' types, the indexes by which
    /// rows must be found, and those that would read all rows of a store in their place.
    static let byKey: [(sql: StaticSQL, types: String, by: [String], never: [String])] = [
        (
            PushMaterial.sql, "uuid[], uuid[], uuid[], uuid[], uuid[]",
            ["alerts_pkey", "conversations_pkey", "subject_settings_pkey"],
            ["alerts_subject", "conversations_status", "subject_settings_subject"]
        ),
        (
            Deliveries.sql,
            """
            uuid[], uuid[], text[], text[], smallint[], text[], text[], jsonb[], text[], \
            timestamptz[], timestamptz[], text[]
            """, ["devices_pkey"], []
        ),
        (
            MemberQuery.sql, "uuid[], uuid[], bigint", ["push_preferences_pkey", "devices_user"], []
        ),
        (
            SubjectQuery.sql, "uuid[], text[], text[], text[]",
            ["orders_pkey", "stock_pkey", "conversations_pkey"], ["conversations_status"]
        ),
        (
            MuteQuery.sql, "uuid[], text[], text[], uuid[], text[], text[]",
            ["orders_pkey", "conversations_pkey", "subject_settings_subject"],
            ["conversations_status", "subject_settings_pkey"]
        ),
        (
            UnheardAlerts.silentSQL, "uuid[], uuid[]",
            ["alerts_pkey", "alert_parts_pkey", "jobs_pkey"], ["alerts_subject", "alerts_unheard"]
        ),
        (
            UnheardAlerts.holdSQL, "uuid[], uuid[]", ["alerts_pkey"],
            ["alerts_subject", "alerts_unheard"]
        ),
        (
            UnheardAlerts.markSQL, "uuid[], uuid[]", ["alerts_pkey"],
            ["alerts_subject", "alerts_unheard"]
        ),
        (
            UnheardAlerts.recentSQL, "uuid, uuid, bigint", ["alerts_pkey", "jobs_dead_buried"],
            ["alerts_subject", "alerts_unheard", "jobs_dead_subject", "jobs_dead_store"]
        ),
    ]

    @Test(
        "plans made while the tables are new, and kept, find rows by their whole keys",
        arguments: byKey.indices)
    func plannedNew(_ index: Int) async throws {
        let read = Self.byKey[index]
        let nulls = read.types.split(separator: ",").map { _ in "null" }.joined(separator: ", ")
        try await World.run { world in
            try await world.database.run(
                """
                create function public.plan(sql text, types text, arguments text)
                returns setof text language plpgsql as $$
                begin
                  perform set_config('plan_cache_mode', 'force_generic_plan', true);
                  execute format('prepare kept (%s) as %s', types, sql);
                  return query execute format('explain (costs off) execute kept (%s)', arguments);
                end $$;
                grant usage on schema public to public;
                analyze;
                """)
            // The sessions of the worker, with all that they are told at their start.
            let rows = try await world.worker.query(
                "select * from public.plan($1, $2, $3)", .text(read.sql.description),
                .text(read.types), .text(nulls), deadline: World.deadline)
            let lines = try rows.map { try $0.text(0) }
            let plan = lines.joined(separator: "\n")
            #expect(!plan.contains("Seq Scan"), "\(plan)")
            for (line, next) in zip(lines, lines.dropFirst()) where line.contains(" using ") {
                #expect(next.contains("Index Cond:"), "\(line) reads all of it:\n\(plan)")
            }
            for index in read.by { #expect(plan.contains(" \(index) "), "\(plan)") }
            for index in read.never { #expect(!plan.contains(" \(index) "), "\(plan)") }
        }
    }
}
