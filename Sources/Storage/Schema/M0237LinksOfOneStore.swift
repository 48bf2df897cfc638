import Postgres

extension Migration {
    /// A link opens the store that made it and no other (decision record 20).
    static let linksOfOneStore = Migration(
        237, "links of one store",
        sql: #"""
            -- The password of the person whom a good link is for; null where there is none. Whoever
            -- gives it once more when taking the link has proved to be that person.
            create function sineta.link_password(link_hash bytea) returns text
              language sql stable security definer set search_path = sineta, pg_temp as $$
              select u.password_hash from links l join users u on u.id = l.user_id
                where l.hash = link_hash and l.used_at is null and l.expires_at > now()
                  and u.disabled_at is null
            $$;
            select sineta.door('sineta.link_password(bytea)');

            -- Takes an invite or a reset once and signs in. Joins the link's store, if the person
            -- waits there; a link without a store joins nothing. Ends every session the person had.
            --
            -- The holder need not be the person: a link's text was in the hands of whoever made it.
            -- So in each other store they stay a member only if the password is theirs already, or
            -- if who made the link manages them there too; else they wait there again. Operators and
            -- the command line, which names no maker, may open all.
            --
            -- No row: used, expired, unknown, of somebody who is shut out, or of somebody whom its
            -- maker must not touch, an operator or the last owner of a store. The last is spent all
            -- the same, or its holder could guess at the password.
            create or replace function sineta.link_take(
              link_hash bytea, new_name text, new_password_hash text, network text,
              session uuid, device text, refresh_hash bytea, access_hash bytea,
              access_seconds integer, session_seconds integer
            ) returns table (user_id uuid, created_at timestamptz, expires_at timestamptz)
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            #variable_conflict use_column
            declare who users; taken links; lost uuid[] := '{}'; old_sessions uuid[]; untouchable boolean;
            begin
              -- The person, then memberships, then links: the order of all doors, so that two links
              -- of one person do not wait for each other.
              select u.* into who from users u join links l on l.user_id = u.id
                where l.hash = link_hash and u.disabled_at is null for update of u;
              if not found then return; end if;
              perform from members m
                where m.user_id = who.id or (m.role = 'owner' and m.store_id in (
                  select o.store_id from members o where o.user_id = who.id and o.role = 'owner'))
                order by m.store_id, m.user_id for update;
              -- Two that take one link at once: the second has waited and sees it used.
              select * into taken from links l where l.hash = link_hash
                and l.used_at is null and l.expires_at > now() for update;
              if not found then return; end if;

              if taken.store_id is not null and who.password_hash is distinct from new_password_hash
                 and not exists (select from users u where u.id = taken.created_by
                                 and u.is_operator)
                 and taken.created_by is not null then
                -- Who may touch whom is that of the API: owners by owners, admins by owners and
                -- admins, staff by all who manage members.
                select coalesce(array_agg(m.store_id), '{}') into lost from members m
                  where m.user_id = who.id and m.joined_at is not null
                    and m.store_id <> taken.store_id and not exists (
                      select from members k where k.store_id = m.store_id
                        and k.user_id = taken.created_by and k.joined_at is not null
                        and (k.role = 'owner' or (k.role = 'admin' and m.role <> 'owner')
                          or (m.role = 'staff' and 'members.manage' = any (k.permissions))));
                untouchable := who.is_operator or exists (
                  select from members m where m.user_id = who.id and m.role = 'owner'
                    and m.store_id = any (lost) and not exists (
                      select from members o where o.store_id = m.store_id and o.role = 'owner'
                        and o.user_id <> who.id and o.joined_at is not null));
                if untouchable then
                  update links l set used_at = now() where l.hash = link_hash;
                  return;
                end if;
              end if;

              update users u set password_hash = new_password_hash,
                  name = coalesce(new_name, u.name)
                where u.id = who.id;
              update members m set joined_at = null
                where m.user_id = who.id and m.store_id = any (lost);
              update members m set joined_at = now()
                where m.user_id = who.id and m.store_id = taken.store_id and m.joined_at is null;
              -- The other links of this person are spent with it, since each could set the password:
              -- all but the invites of stores where the person still waits.
              update links l set used_at = now()
                where l.user_id = who.id and l.used_at is null and not (
                  l.purpose = 'invite' and l.hash <> link_hash and exists (
                    select from members m where m.store_id = l.store_id and m.user_id = who.id
                      and m.joined_at is null));
              select coalesce(array_agg(s.id), '{}') into old_sessions from sessions s
                where s.user_id = who.id and s.ended_at is null;
              perform end_sessions(old_sessions, 'password_changed', 'password_changed');
              insert into login_networks as n (user_id, network, last_at)
                values (who.id, network, now())
                on conflict (user_id, network) do update set last_at = excluded.last_at;
              user_id := who.id;
              created_at := now();
              expires_at := open_session(who.id, session, device, refresh_hash,
                access_hash, access_seconds, session_seconds);
              insert into audit (store_id, actor, act, subject)
                select coalesce(taken.store_id, '00000000-0000-0000-0000-000000000000'),
                  who.id::text, taken.purpose || '.taken', who.id::text
                union all
                select s, who.id::text, 'member.waits', who.id::text from unnest(lost) s;
              return next;
            end $$;

            -- A new link for a member: an invite for one who waits, else a reset. It is refused
            -- ('forbidden') for operators and for people who belong to a store in which the caller
            -- does not manage members, since taking it would shut them out there; 'not_found' for
            -- strangers. A store in which the person only waits is not opened by it.
            create or replace function sineta.reset_member(
              store uuid, person uuid, managed uuid[], link_hash bytea, reset_seconds integer,
              invite_seconds integer
            ) returns table (answer text, purpose text, expires_at timestamptz)
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            #variable_conflict use_column
            declare who users; waits boolean;
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
              waits := who.password_hash is null or exists (
                select from members m where m.store_id = store and m.user_id = person
                  and m.joined_at is null);
              answer := 'ok';
              purpose := case when waits then 'invite' else 'reset' end;
              expires_at := now() + interval '1 second'
                * case when waits then invite_seconds else reset_seconds end;
              insert into links (hash, purpose, user_id, store_id, created_by, expires_at)
                values (link_hash, purpose, person, store, caller(), expires_at);
              return next;
            end $$;
            """#)
}
