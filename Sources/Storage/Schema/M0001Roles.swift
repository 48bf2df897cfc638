import Postgres

extension Migration {
    /// The schema, the roles and the one way in which a table is guarded.
    ///
    /// Roles belong to the whole cluster, so that a second database, or one migrating at the same
    /// time, finds them made. The owner of the schema becomes a member of them (that lets it give
    /// functions and tables away) and needs CREATEROLE, not superuser.
    /// <https://www.postgresql.org/docs/15/ddl-rowsecurity.html>
    static let roles = Migration(
        1, "roles",
        sql: #"""
            create schema if not exists sineta;
            revoke all on schema sineta from public;

            -- Two databases may migrate at once: whoever comes second finds the role made.
            do $$
            declare role_name text;
            begin
              foreach role_name in array array['sineta_api', 'sineta_worker', 'sineta_operator',
                                               'sineta_door', 'sineta_keeper'] loop
                begin
                  if not exists (select from pg_roles where rolname = role_name) then
                    execute format('create role %I nologin noinherit', role_name);
                  end if;
                exception when duplicate_object or unique_violation then
                  null;
                end;
                if not pg_has_role(current_user, role_name, 'member') then
                  begin
                    execute format('grant %I to current_user', role_name);
                  exception when unique_violation then
                    null;
                  end;
                end if;
              end loop;
            end $$;

            grant usage on schema sineta
              to sineta_api, sineta_worker, sineta_operator, sineta_door, sineta_keeper;

            -- Admits the login role of the server: a member of the three roles that requests run
            -- as, which inherits nothing from them.
            create function sineta.admit(login text) returns void
              language plpgsql set search_path = pg_catalog, pg_temp as $$
            begin
              execute format('alter role %I noinherit', login);
              execute format('grant sineta_api, sineta_worker, sineta_operator to %I', login);
            end $$;
            revoke execute on function sineta.admit(text) from public;

            -- Guards a table: row-level security for everybody, the owner too, and for each role
            -- that has anything to do with it the privileges and the policy of its kind.
            --
            -- whose: 'store' (rows carry store_id), 'self' (the row is the store), 'person' (rows
            -- carry user_id), 'none' (the API role comes in through doors only). The sub-select
            -- makes the setting's value be read once a statement and not once a row; after a
            -- transaction the setting is an empty string and not null.
            create function sineta.guard(
              guarded regclass, whose text,
              api text default null, worker text default null,
              door text default null, operator text default null
            ) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
            declare
              stores constant text :=
                '((select nullif(current_setting(''app.stores'', true), '''')::uuid[])::uuid[])';
              person constant text :=
                '(select nullif(current_setting(''app.user'', true), '''')::uuid)';
              condition text := case whose
                when 'store' then 'store_id = any (' || stores || ')'
                when 'self' then 'id = any (' || stores || ')'
                when 'person' then 'user_id = ' || person
              end;
            begin
              execute format('alter table %s enable row level security', guarded);
              execute format('alter table %s force row level security', guarded);
              execute format('revoke all on %s from public', guarded);
              if api is not null then
                execute format('grant %s on %s to sineta_api', api, guarded);
              end if;
              if condition is not null then
                execute format(
                  'create policy tenant on %s to sineta_api using (%s) with check (%s)',
                  guarded, condition, condition);
              end if;
              if worker is not null then
                execute format('grant %s on %s to sineta_worker', worker, guarded);
                execute format(
                  'create policy worker on %s to sineta_worker using (true) with check (true)',
                  guarded);
              end if;
              if door is not null then
                execute format('grant %s on %s to sineta_door', door, guarded);
                execute format(
                  'create policy door on %s to sineta_door using (true) with check (true)',
                  guarded);
              end if;
              if operator is not null then
                execute format('grant %s on %s to sineta_operator', operator, guarded);
                execute format(
                  'create policy operator on %s to sineta_operator using (true) with check (true)',
                  guarded);
              end if;
            end $$;
            revoke execute on function sineta.guard(regclass, text, text, text, text, text)
              from public;

            -- Makes a function a door: it runs as sineta_door, whoever calls it, and only the named
            -- roles may call it. Its search path must have been fixed where it was created.
            create function sineta.door(
              entrance regprocedure, callers text default 'sineta_api'
            ) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
            begin
              if not exists (select from pg_proc where oid = entrance
                             and prosecdef and proconfig::text like '%search_path=%') then
                raise 'a door is SECURITY DEFINER and has a search_path: %', entrance;
              end if;
              execute format('revoke execute on function %s from public', entrance);
              execute format('grant execute on function %s to %s', entrance, callers);
              execute 'grant create on schema sineta to sineta_door';
              execute format('alter function %s owner to sineta_door', entrance);
              execute 'revoke create on schema sineta from sineta_door';
            end $$;
            revoke execute on function sineta.door(regprocedure, text) from public;

            -- A version 7 UUID of now (RFC 9562), for rows that SQL itself adds.
            create function sineta.uuid7() returns uuid
              language sql volatile set search_path = pg_catalog, pg_temp as $$
              select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
                substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
                from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
            $$;

            -- The person that the door `enter` let in, or null.
            create function sineta.caller() returns uuid
              language sql stable set search_path = pg_catalog, pg_temp as $$
              select nullif(current_setting('app.user', true), '')::uuid
            $$;

            -- Whether the caller was let in for this store.
            create function sineta.serves(store uuid) returns boolean
              language sql stable set search_path = pg_catalog, pg_temp as $$
              select coalesce(
                store = any (nullif(current_setting('app.stores', true), '')::uuid[]), false)
            $$;

            revoke execute on function sineta.uuid7(), sineta.caller(), sineta.serves(uuid)
              from public;
            grant execute on function sineta.uuid7(), sineta.caller(), sineta.serves(uuid)
              to sineta_api, sineta_worker, sineta_operator, sineta_door, sineta_keeper;
            """#)
}
