import Postgres

extension Migration {
    /// The door through which every request comes: a token's hash becomes a person, or a store's
    /// backend, and the row-level security context of the transaction.
    static let enter = Migration(
        221, "enter",
        sql: #"""
            -- One row always. answer: 'ok', 'unknown' (no such token, or it ran out),
            -- 'session_ended'. The arrays run in parallel; permissions are space-separated.
            -- Sets app.user, app.session, app.caller and app.stores for this transaction.
            create function sineta.enter(token_hash bytea, is_api_token boolean)
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
                select s.user_id, s.id, s.ended_at, s.last_used_at,
                       u.is_operator, u.email, u.name, u.locale, u.disabled_at,
                       case when a.expires_at > now() then s.expires_at end
                  into user_id, session_id, ended, used,
                       is_operator, email, name, locale, disabled, expires
                  from access_tokens a join sessions s on s.id = a.session_id
                  join users u on u.id = s.user_id
                  where a.hash = token_hash;
                if found and (ended is not null or disabled is not null) then
                  answer := 'session_ended';
                elsif found and expires > now() then
                  answer := 'ok';
                  select coalesce(array_agg(m.store_id order by m.store_id), '{}'),
                         coalesce(array_agg(m.role order by m.store_id), '{}'),
                         coalesce(array_agg(array_to_string(m.permissions, ' ')
                                            order by m.store_id), '{}')
                    into stores, roles, permissions
                    from members m where m.user_id = enter.user_id and m.joined_at is not null;
                  if used < now() - interval '1 minute' then
                    update sessions s set last_used_at = now()
                      where s.id in (select x.id from sessions x where x.id = session_id
                                     for no key update skip locked);
                  end if;
                end if;
              end if;
              if answer <> 'ok' then
                user_id := null; session_id := null; stores := '{}';
              end if;
              perform set_config('app.user', coalesce(user_id::text, ''), true),
                      set_config('app.session', coalesce(session_id::text, ''), true),
                      set_config('app.caller', coalesce(user_id, token_id)::text, true),
                      set_config('app.stores', stores::text, true);
              return next;
            end $$;
            select sineta.door('sineta.enter(bytea, boolean)', 'sineta_api, sineta_operator');

            -- The door of a batch that holds events of several callers: one row per hash that is
            -- some store's token, and app.stores is the set of their stores.
            create function sineta.enter_batch(token_hashes bytea[])
              returns table (token_hash bytea, store_id uuid, token_id uuid)
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            #variable_conflict use_column
            declare entered uuid[] := '{}'; stale bytea[];
            begin
              select coalesce(array_agg(distinct t.store_id), '{}'),
                     array_agg(t.hash) filter (where t.last_used_at is null
                       or t.last_used_at < now() - interval '1 minute')
                into entered, stale
                from api_tokens t where t.hash = any (token_hashes);
              if stale is not null then
                update api_tokens t set last_used_at = now()
                  where (t.store_id, t.id) in (
                    select x.store_id, x.id from api_tokens x where x.hash = any (stale)
                    order by x.store_id, x.id for no key update skip locked);
              end if;
              perform set_config('app.user', '', true), set_config('app.session', '', true),
                      set_config('app.caller', '', true),
                      set_config('app.stores', entered::text, true);
              return query select t.hash, t.store_id, t.id from api_tokens t
                where t.hash = any (token_hashes);
            end $$;
            select sineta.door('sineta.enter_batch(bytea[])');
            """#)
}
