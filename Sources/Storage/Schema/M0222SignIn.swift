import Postgres

extension Migration {
    /// The doors of signing in, staying in and leaving.
    static let signIn = Migration(
        222, "sign-in",
        sql: #"""
            -- Ends sessions with their devices. Called by other doors only.
            create function sineta.end_sessions(victims uuid[], reason text, tombstone text)
              returns void language plpgsql security definer
              set search_path = sineta, pg_temp as $$
            begin
              perform from sessions s where s.id = any (victims) order by s.id for update;
              perform from devices d where d.session_id = any (victims) order by d.id for update;
              update sessions s set ended_at = now(), end_reason = reason
                where s.id = any (victims) and s.ended_at is null;
              with gone as (
                delete from devices d where d.session_id = any (victims) returning d.*)
              insert into removed_devices (user_id, id, platform, device_name, reason)
                select g.user_id, g.id, g.platform, g.device_name, tombstone from gone g
                on conflict do nothing;
            end $$;
            select sineta.door('sineta.end_sessions(uuid[], text, text)', 'sineta_door');

            -- Counts an attempt before the password is looked at (so that parallel guesses count)
            -- and says who it is about. retry_after: seconds, refused when above 0; slow_down:
            -- milliseconds by which the answer is to be held back. A network that signed in within
            -- 90 days is only slowed, so nobody locks the owner out.
            create function sineta.login_begin(login_email text, network text, address text)
              returns table (user_id uuid, password_hash text, retry_after integer,
                             slow_down integer)
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            #variable_conflict use_column
            declare
              moment constant timestamptz := clock_timestamp();
              counter login_counters; is_known boolean; pair constant text :=
                login_email || ' ' || network;
            begin
              retry_after := 0; slow_down := 0;
              insert into login_counters as c (scope, key, attempts, started_at, last_at)
                values ('address', address, 1, moment, moment)
                on conflict (scope, key) do update set
                  attempts = case when c.started_at > excluded.started_at - interval '1 minute'
                                  then c.attempts + 1 else 1 end,
                  started_at = case when c.started_at > excluded.started_at - interval '1 minute'
                                    then c.started_at else excluded.started_at end,
                  last_at = excluded.last_at
                returning * into counter;
              if counter.attempts > 30 then
                retry_after := greatest(1,
                  ceil(extract(epoch from counter.started_at + interval '1 minute' - moment)));
                return next; return;
              end if;

              select u.id, u.password_hash into user_id, password_hash
                from users u where u.email = login_email and u.disabled_at is null;
              is_known := exists (select from login_networks n
                where n.user_id = login_begin.user_id and n.network = login_begin.network
                  and n.last_at > moment - interval '90 days');

              select * into counter from login_counters c
                where c.scope = 'pair' and c.key = pair;
              if counter.blocked_until > moment and not is_known then
                user_id := null; password_hash := null;
                retry_after := greatest(1,
                  ceil(extract(epoch from counter.blocked_until - moment)));
                return next; return;
              end if;

              -- Five attempts are free, then 15 s, doubled each time, 15 min at most.
              insert into login_counters as c (scope, key, attempts, started_at, last_at)
                values ('pair', pair, 1, moment, moment)
                on conflict (scope, key) do update set
                  attempts = case when c.last_at > excluded.last_at - interval '1 hour'
                                  then c.attempts + 1 else 1 end,
                  blocked_until = case
                    when c.last_at > excluded.last_at - interval '1 hour' and c.attempts >= 4
                    then excluded.last_at + least(900, 15 * 2 ^ least(c.attempts - 4, 10))
                         * interval '1 second' end,
                  last_at = excluded.last_at
                returning * into counter;
              if counter.attempts > 5 and is_known then slow_down := 2000; end if;

              insert into login_counters as c (scope, key, attempts, started_at, last_at)
                values ('account', login_email, 1, moment, moment)
                on conflict (scope, key) do update set
                  attempts = case when c.last_at > excluded.last_at - interval '15 minutes'
                                  then c.attempts + 1 else 1 end,
                  last_at = excluded.last_at
                returning * into counter;
              if counter.attempts > 5 then
                slow_down := greatest(slow_down, least(2000, 125 * 2 ^ least(counter.attempts - 6, 4)));
              end if;
              return next;
            end $$;
            select sineta.door('sineta.login_begin(text, text, text)');

            -- Opens a session. Called by other doors only.
            create function sineta.open_session(
              person uuid, session uuid, device text, refresh_hash bytea, access_hash bytea,
              access_seconds integer, session_seconds integer
            ) returns timestamptz language plpgsql security definer
              set search_path = sineta, pg_temp as $$
            declare expiry constant timestamptz := now() + session_seconds * interval '1 second';
            begin
              insert into sessions (id, user_id, device_name, expires_at)
                values (session, person, device, expiry);
              insert into refresh_tokens (hash, session_id, generation)
                values (refresh_hash, session, 1);
              insert into access_tokens (hash, session_id, expires_at)
                values (access_hash, session, now() + access_seconds * interval '1 second');
              return expiry;
            end $$;
            select sineta.door(
              'sineta.open_session(uuid, uuid, text, bytea, bytea, integer, integer)',
              'sineta_door');

            -- The password was right: no row when it changed meanwhile.
            create function sineta.login_finish(
              person uuid, checked_hash text, network text, session uuid, device text,
              refresh_hash bytea, access_hash bytea, access_seconds integer,
              session_seconds integer
            ) returns table (created_at timestamptz, expires_at timestamptz)
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            #variable_conflict use_column
            declare who users;
            begin
              -- A password change holds this row: whoever comes second sees what it left.
              select * into who from users u
                where u.id = person and u.password_hash = checked_hash and u.disabled_at is null
                for share;
              if not found then return; end if;
              insert into login_networks as n (user_id, network, last_at)
                values (person, network, now())
                on conflict (user_id, network) do update set last_at = excluded.last_at;
              delete from login_counters c where (c.scope, c.key) in
                (('pair', who.email || ' ' || network), ('account', who.email));
              created_at := now();
              expires_at := open_session(person, session, device, refresh_hash, access_hash,
                access_seconds, session_seconds);
              if who.is_operator then
                insert into audit (store_id, actor, act, subject) values
                  ('00000000-0000-0000-0000-000000000000', person::text, 'operator.signed_in',
                   session::text);
              end if;
              return next;
            end $$;
            select sineta.door('sineta.login_finish(uuid, text, text, uuid, text, bytea, bytea, '
              'integer, integer)');

            -- Finds the session of a refresh token and holds it until the transaction ends.
            -- answer: 'current', 'previous' (its successor is unused and the grace runs),
            -- 'reused', 'ended', 'unknown'. A reuse ends the session here and now.
            create function sineta.refresh_find(token_hash bytea, grace_seconds integer)
              returns table (answer text, session_id uuid, user_id uuid, generation integer)
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            #variable_conflict use_column
            declare found_session sessions;
            begin
              select r.session_id, r.generation into session_id, generation
                from refresh_tokens r where r.hash = token_hash;
              if not found then answer := 'unknown'; return next; return; end if;
              select * into found_session from sessions s where s.id = session_id for update;
              user_id := found_session.user_id;
              if found_session.id is null or found_session.ended_at is not null
                 or found_session.expires_at <= now()
                 or not exists (select from users u where u.id = found_session.user_id
                                and u.disabled_at is null) then
                answer := 'ended';
              elsif generation = found_session.generation then
                answer := 'current';
              elsif generation = found_session.generation - 1 and clock_timestamp()
                    < found_session.rotated_at + grace_seconds * interval '1 second' then
                answer := 'previous';
              else
                answer := 'reused';
                perform end_sessions(array[session_id], 'refresh_token_reused', 'session_ended');
              end if;
              return next;
            end $$;
            select sineta.door('sineta.refresh_find(bytea, integer)');

            -- After `refresh_find` in the same transaction: the successor becomes current, which
            -- spends the token before the presented one. A second call with the same token brings
            -- the same successor and only adds an access token.
            create function sineta.refresh_rotate(
              token_hash bytea, successor_hash bytea, access_hash bytea,
              access_seconds integer, session_seconds integer
            ) returns table (session_id uuid, user_id uuid, created_at timestamptz,
                             expires_at timestamptz)
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            #variable_conflict use_column
            declare presented refresh_tokens;
            begin
              select * into presented from refresh_tokens r where r.hash = token_hash;
              update sessions s set
                  rotated_at = case when s.generation = presented.generation
                                    then clock_timestamp() else s.rotated_at end,
                  generation = presented.generation + 1,
                  last_used_at = now(),
                  expires_at = now() + session_seconds * interval '1 second'
                where s.id = presented.session_id and s.ended_at is null
                  and s.generation in (presented.generation, presented.generation + 1)
                returning s.id, s.user_id, s.created_at, s.expires_at
                into session_id, user_id, created_at, expires_at;
              if not found then return; end if;
              insert into refresh_tokens (hash, session_id, generation)
                values (successor_hash, session_id, presented.generation + 1)
                on conflict do nothing;
              insert into access_tokens (hash, session_id, expires_at)
                values (access_hash, session_id, now() + access_seconds * interval '1 second');
              return next;
            end $$;
            select sineta.door('sineta.refresh_rotate(bytea, bytea, bytea, integer, integer)');

            -- Ends the session of a refresh or an access token, whichever this is; does nothing
            -- for any other text.
            create function sineta.logout(token_hash bytea) returns void
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            declare session uuid;
            begin
              select coalesce(
                (select r.session_id from refresh_tokens r where r.hash = token_hash),
                (select a.session_id from access_tokens a where a.hash = token_hash))
                into session;
              if session is not null then
                perform end_sessions(array[session], 'logout', 'logout');
              end if;
            end $$;
            select sineta.door('sineta.logout(bytea)');

            -- One of the caller's own sessions; false when it is somebody else's, unknown or over.
            create function sineta.end_session(session uuid) returns boolean
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            begin
              perform from sessions s
                where s.id = session and s.user_id = caller() and s.ended_at is null for update;
              if not found then return false; end if;
              perform end_sessions(array[session], 'ended_by_user', 'session_ended');
              return true;
            end $$;
            select sineta.door('sineta.end_session(uuid)');

            create function sineta.own_password() returns text
              language sql stable security definer set search_path = sineta, pg_temp as $$
              select u.password_hash from users u where u.id = caller()
            $$;
            select sineta.door('sineta.own_password()');

            -- False when the checked hash is not the current one any more. Ends every session but
            -- the caller's; a login or refresh that races this waits for the row and then fails.
            create function sineta.change_password(checked_hash text, new_hash text)
              returns boolean
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            declare others uuid[];
            begin
              perform from users u where u.id = caller() and u.password_hash = checked_hash
                for update;
              if not found then return false; end if;
              update users u set password_hash = new_hash where u.id = caller();
              update links l set used_at = now()
                where l.user_id = caller() and l.purpose = 'reset' and l.used_at is null;
              select coalesce(array_agg(s.id), '{}') into others from sessions s
                where s.user_id = caller() and s.ended_at is null
                  and s.id <> current_setting('app.session')::uuid;
              perform end_sessions(others, 'password_changed', 'password_changed');
              insert into audit (store_id, actor, act, subject) values
                ('00000000-0000-0000-0000-000000000000', caller()::text, 'password.changed',
                 caller()::text);
              return true;
            end $$;
            select sineta.door('sineta.change_password(text, text)');
            """#)
}
