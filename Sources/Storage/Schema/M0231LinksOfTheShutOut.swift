import Postgres

extension Migration {
    /// The link of somebody who is shut out is neither good nor spent.
    static let linksOfTheShutOut = Migration(
        231, "links of the shut out",
        sql: #"""
            -- Whether a link may still be taken: asked before the costly password hash.
            create or replace function sineta.link_find(link_hash bytea) returns boolean
              language sql stable security definer set search_path = sineta, pg_temp as $$
              select exists (select from links l join users u on u.id = l.user_id
                where l.hash = link_hash and l.used_at is null and l.expires_at > now()
                  and u.disabled_at is null)
            $$;

            -- Takes an invite or a reset once and signs in. No row: used, expired, unknown, or of
            -- somebody who is shut out; theirs is not spent. A reset ends every session the person
            -- had.
            create or replace function sineta.link_take(
              link_hash bytea, new_name text, new_password_hash text, network text,
              session uuid, device text, refresh_hash bytea, access_hash bytea,
              access_seconds integer, session_seconds integer
            ) returns table (user_id uuid, created_at timestamptz, expires_at timestamptz)
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            #variable_conflict use_column
            declare taken links; old_sessions uuid[];
            begin
              -- Two that take one link at once: the second waits here and then sees it used.
              select * into taken from links l where l.hash = link_hash
                and l.used_at is null and l.expires_at > now() for update;
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
            """#)
}
