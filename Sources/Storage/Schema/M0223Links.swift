import Postgres

extension Migration {
    /// The doors of invites and resets, and those by which stores and people come to be.
    static let links = Migration(
        223, "links",
        sql: #"""
            -- Whether a link may still be taken: asked before the costly password hash.
            create function sineta.link_find(link_hash bytea) returns boolean
              language sql stable security definer set search_path = sineta, pg_temp as $$
              select exists (select from links l where l.hash = link_hash
                and l.used_at is null and l.expires_at > now())
            $$;
            select sineta.door('sineta.link_find(bytea)');

            -- Takes an invite or a reset once and signs in. No row: used, expired or unknown. A
            -- reset ends every session the person had.
            create function sineta.link_take(
              link_hash bytea, new_name text, new_password_hash text, network text,
              session uuid, device text, refresh_hash bytea, access_hash bytea,
              access_seconds integer, session_seconds integer
            ) returns table (user_id uuid, created_at timestamptz, expires_at timestamptz)
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            #variable_conflict use_column
            declare taken links; old_sessions uuid[];
            begin
              update links l set used_at = now() where l.hash = link_hash
                and l.used_at is null and l.expires_at > now() returning * into taken;
              if not found then return; end if;
              update users u set password_hash = new_password_hash,
                  name = coalesce(new_name, u.name)
                where u.id = taken.user_id and u.disabled_at is null;
              if not found then return; end if;
              -- The other links of this person are spent with it: each could set the password.
              update links l set used_at = now()
                where l.user_id = taken.user_id and l.used_at is null;
              update members m set joined_at = now()
                where m.user_id = taken.user_id and m.joined_at is null;
              select coalesce(array_agg(s.id), '{}') into old_sessions from sessions s
                where s.user_id = taken.user_id and s.ended_at is null;
              perform end_sessions(old_sessions, 'password_changed', 'password_changed');
              insert into login_networks as n (user_id, network, last_at)
                values (taken.user_id, network, now())
                on conflict (user_id, network) do update set last_at = excluded.last_at;
              user_id := taken.user_id;
              created_at := now();
              expires_at := open_session(taken.user_id, session, device, refresh_hash,
                access_hash, access_seconds, session_seconds);
              insert into audit (store_id, actor, act, subject) values
                (coalesce(taken.store_id, '00000000-0000-0000-0000-000000000000'),
                 taken.user_id::text, taken.purpose || '.taken', taken.user_id::text);
              return next;
            end $$;
            select sineta.door('sineta.link_take(bytea, text, text, text, uuid, text, bytea, '
              'bytea, integer, integer)');

            -- answer: 'invited' (the link is good), 'joined' (a known person: no link),
            -- 'conflict' (a member already).
            create function sineta.add_member(
              store uuid, member_email text, member_name text, member_role text,
              member_permissions text[], new_id uuid, link_hash bytea, link_seconds integer
            ) returns table (answer text, user_id uuid, name text, email text,
                             expires_at timestamptz)
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            #variable_conflict use_column
            declare who users;
            begin
              if not serves(store) then raise insufficient_privilege; end if;
              insert into users (id, email, name)
                values (new_id, member_email,
                        coalesce(member_name, split_part(member_email, '@', 1)))
                on conflict (email) do nothing;
              select * into who from users u where u.email = member_email for share;
              user_id := who.id; name := who.name; email := who.email;
              insert into members (store_id, user_id, role, permissions, joined_at)
                values (store, who.id, member_role, member_permissions,
                        case when who.password_hash is not null then now() end)
                on conflict do nothing;
              if not found then answer := 'conflict'; return next; return; end if;
              if who.password_hash is not null then
                answer := 'joined';
              else
                answer := 'invited';
                expires_at := now() + link_seconds * interval '1 second';
                insert into links (hash, purpose, user_id, store_id, created_by, expires_at)
                  values (link_hash, 'invite', who.id, store, caller(), expires_at);
              end if;
              return next;
            end $$;
            select sineta.door('sineta.add_member(uuid, text, text, text, text[], uuid, bytea, '
              'integer)', 'sineta_api, sineta_operator');

            -- A new link for a member. Whoever holds it becomes that person everywhere, so it is
            -- refused ('forbidden') for operators and for people who belong to a store in which
            -- the caller does not manage members; 'not_found' for strangers.
            create function sineta.reset_member(
              store uuid, person uuid, managed uuid[], link_hash bytea, reset_seconds integer,
              invite_seconds integer
            ) returns table (answer text, purpose text, expires_at timestamptz)
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            #variable_conflict use_column
            declare who users;
            begin
              if not serves(store) then raise insufficient_privilege; end if;
              select u.* into who from users u join members m on m.user_id = u.id
                where u.id = person and m.store_id = store;
              if not found then answer := 'not_found'; return next; return; end if;
              if who.is_operator or who.disabled_at is not null or exists (
                   select from members m where m.user_id = person
                     and m.joined_at is not null and not m.store_id = any (managed)) then
                answer := 'forbidden'; return next; return;
              end if;
              answer := 'ok';
              purpose := case when who.password_hash is null then 'invite' else 'reset' end;
              expires_at := now() + interval '1 second'
                * case when purpose = 'invite' then invite_seconds else reset_seconds end;
              insert into links (hash, purpose, user_id, store_id, created_by, expires_at)
                values (link_hash, purpose, person, store, caller(), expires_at);
              return next;
            end $$;
            select sineta.door('sineta.reset_member(uuid, uuid, uuid[], bytea, integer, integer)');

            -- A store with its first owner; the answer is that of add_member, and the store is
            -- among those that this transaction serves from here on.
            create function sineta.create_store(
              store uuid, store_name text, zone text, store_locale text, store_currency text,
              owner_email text, owner_name text, new_id uuid, link_hash bytea,
              link_seconds integer
            ) returns table (answer text, user_id uuid, name text, email text,
                             expires_at timestamptz)
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            begin
              insert into stores (id, name, time_zone, locale, currency)
                values (store, store_name, zone, store_locale, store_currency);
              perform set_config('app.stores', array_append(coalesce(
                nullif(current_setting('app.stores', true), '')::uuid[], '{}'), store)::text, true);
              return query select * from add_member(store, owner_email, owner_name, 'owner', '{}',
                new_id, link_hash, link_seconds);
            end $$;
            select sineta.door('sineta.create_store(uuid, text, text, text, text, text, text, '
              'uuid, bytea, integer)', 'sineta_operator');

            -- A person who may sign in at once; null when the address is taken.
            create function sineta.create_user(
              new_id uuid, user_email text, user_name text, user_locale text, hash text
            ) returns uuid language sql security definer set search_path = sineta, pg_temp as $$
              insert into users (id, email, name, locale, password_hash)
                values (new_id, user_email, user_name, user_locale, hash)
                on conflict (email) do nothing returning id
            $$;
            select sineta.door('sineta.create_user(uuid, text, text, text, text)',
              'sineta_operator');

            create function sineta.find_user(user_email text)
              returns table (id uuid, email text, name text, is_operator boolean,
                             disabled_at timestamptz)
              language sql stable security definer set search_path = sineta, pg_temp as $$
              select u.id, u.email, u.name, u.is_operator, u.disabled_at
                from users u where u.email = user_email
            $$;
            select sineta.door('sineta.find_user(text)', 'sineta_operator');

            create function sineta.set_operator(person uuid, wanted boolean) returns boolean
              language sql security definer set search_path = sineta, pg_temp as $$
              update users set is_operator = wanted where id = person returning true
            $$;
            select sineta.door('sineta.set_operator(uuid, boolean)', 'sineta_operator');

            -- Disabling ends every session with its devices.
            create function sineta.set_disabled(person uuid, wanted boolean) returns boolean
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            declare victims uuid[];
            begin
              update users set disabled_at = case when wanted then now() end where id = person;
              if not found then return false; end if;
              if wanted then
                select coalesce(array_agg(s.id), '{}') into victims from sessions s
                  where s.user_id = person and s.ended_at is null;
                perform end_sessions(victims, 'disabled', 'session_ended');
              end if;
              return true;
            end $$;
            select sineta.door('sineta.set_disabled(uuid, boolean)', 'sineta_operator');

            create function sineta.reset_user(person uuid, link_hash bytea, reset_seconds integer)
              returns timestamptz language sql security definer
              set search_path = sineta, pg_temp as $$
              insert into links (hash, purpose, user_id, expires_at)
                select link_hash, 'reset', u.id, now() + reset_seconds * interval '1 second'
                from users u where u.id = person returning expires_at
            $$;
            select sineta.door('sineta.reset_user(uuid, bytea, integer)', 'sineta_operator');

            create function sineta.create_api_token(
              store uuid, token_id uuid, token_name text, token_prefix text, token_hash bytea
            ) returns boolean language sql security definer
              set search_path = sineta, pg_temp as $$
              insert into api_tokens (store_id, id, name, prefix, hash)
                select s.id, token_id, token_name, token_prefix, token_hash
                from stores s where s.id = store returning true
            $$;
            select sineta.door('sineta.create_api_token(uuid, uuid, text, text, bytea)',
              'sineta_operator');

            -- Everything a member said of a store goes with them.
            create function sineta.remove_member(store uuid, person uuid) returns boolean
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            begin
              if not serves(store) then raise insufficient_privilege; end if;
              delete from members where store_id = store and user_id = person;
              if not found then return false; end if;
              delete from push_preferences where store_id = store and user_id = person;
              delete from subject_settings where store_id = store and user_id = person;
              update links set used_at = now()
                where store_id = store and user_id = person and used_at is null;
              return true;
            end $$;
            select sineta.door('sineta.remove_member(uuid, uuid)');
            """#)
}
