import Postgres

extension Migration {
    /// Operators alone get in where the role is theirs.
    static let operatorsAlone = Migration(
        238, "operators alone",
        sql: #"""
            -- One row always. answer: 'ok', 'unknown' (no such token, or it ran out),
            -- 'session_ended', 'no_operator' (the transaction runs as sineta_operator, whose
            -- policies show the rows of all stores, and the caller is none; the row tells who it
            -- is). The arrays run in parallel; permissions are space-separated. Sets app.user,
            -- app.session, app.caller and app.stores for this transaction: empty unless 'ok'.
            create or replace function sineta.enter(token_hash bytea, is_api_token boolean)
              returns table (answer text, user_id uuid, session_id uuid, token_id uuid,
                is_operator boolean, email text, name text, locale text,
                stores uuid[], roles text[], permissions text[])
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            #variable_conflict use_column
            declare
              ended timestamptz; expires timestamptz; used timestamptz; disabled timestamptz;
            begin
              answer := 'unknown';
              if is_api_token then
                select t.id, array[t.store_id], t.last_used_at into token_id, stores, used
                  from api_tokens t where t.hash = token_hash;
                if found then
                  answer := 'ok';
                  roles := array['token']; permissions := array['']; is_operator := false;
                  -- To the minute, and never waiting for another request that does the same.
                  if used is null or used < now() - interval '1 minute' then
                    update api_tokens t set last_used_at = now()
                      where (t.store_id, t.id) in (
                        select x.store_id, x.id from api_tokens x
                        where x.store_id = stores[1] and x.id = token_id
                        for no key update skip locked);
                  end if;
                end if;
              else
                -- One statement, since this is asked at every request and each costs as much again.
                select s.user_id, s.id, s.ended_at, s.last_used_at,
                       u.is_operator, u.email, u.name, u.locale, u.disabled_at,
                       case when a.expires_at > now() then s.expires_at end,
                       m.stores, m.roles, m.permissions
                  into user_id, session_id, ended, used,
                       is_operator, email, name, locale, disabled, expires,
                       stores, roles, permissions
                  from access_tokens a join sessions s on s.id = a.session_id
                  join users u on u.id = s.user_id
                  cross join lateral (
                    select coalesce(array_agg(o.store_id), '{}') as stores,
                           coalesce(array_agg(o.role), '{}') as roles,
                           coalesce(array_agg(array_to_string(o.permissions, ' ')), '{}')
                             as permissions
                    from (select * from members m
                          where m.user_id = s.user_id and m.joined_at is not null
                          order by m.store_id) o) m
                  where a.hash = token_hash;
                if found and (ended is not null or disabled is not null) then
                  answer := 'session_ended';
                elsif found and expires > now() then
                  answer := 'ok';
                  if used < now() - interval '1 minute' then
                    update sessions s set last_used_at = now()
                      where s.id in (select x.id from sessions x where x.id = session_id
                                     for no key update skip locked);
                  end if;
                end if;
              end if;
              if answer <> 'ok' then
                user_id := null; session_id := null; stores := '{}';
              elsif not is_operator and current_setting('role') = 'sineta_operator' then
                answer := 'no_operator';
                perform set_config('app.user', '', true), set_config('app.session', '', true),
                        set_config('app.caller', '', true), set_config('app.stores', '{}', true);
                return next; return;
              end if;
              perform set_config('app.user', coalesce(user_id::text, ''), true),
                      set_config('app.session', coalesce(session_id::text, ''), true),
                      set_config('app.caller', coalesce(user_id, token_id)::text, true),
                      set_config('app.stores', stores::text, true);
              return next;
            end $$;
            """#)
}
