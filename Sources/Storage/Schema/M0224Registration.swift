import Postgres

extension Migration {
    /// The doors of devices: registering moves tokens between people, which no policy could allow.
    static let registration = Migration(
        224, "registration",
        sql: #"""
            -- answer: 'created', 'known' (the caller's own row), 'moved' (from somebody else: a
            -- new id), 'ended' (the session is over). `given` names the optional fields that the
            -- call brought, null included; the others keep their value.
            create function sineta.register_device(
              new_id uuid, device_platform text, device_transport text, device_app text,
              device_token text, given text[], device_environment text, version text,
              device text, device_locale text, install text, abilities text[]
            ) returns table (answer text, id uuid)
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            #variable_conflict use_column
            declare
              person constant uuid := caller();
              session constant uuid := nullif(current_setting('app.session', true), '')::uuid;
              hash constant bytea := sha256(convert_to(device_token, 'UTF8'));
              old devices;
            begin
              -- The session's row first: ending it waits for this, or this sees its end.
              perform from sessions s where s.id = session and s.user_id = person
                and s.ended_at is null and s.expires_at > now() for update;
              if not found then answer := 'ended'; return next; return; end if;
              perform pg_advisory_xact_lock(hashtextextended(
                device_transport || ' ' || device_app || ' ' || encode(hash, 'hex'), 0));
              -- All rows that may change, in one order, so that two calls never hold each other.
              perform from devices d
                where d.transport = device_transport and d.app_id = device_app
                  and (d.token_hash = hash or d.session_id = session
                       or (d.user_id = person and d.install_id = install))
                order by d.id for update;

              select * into old from devices d where d.transport = device_transport
                and d.app_id = device_app and d.token_hash = hash;
              if old.id is not null and old.user_id <> person then
                delete from devices d where d.id = old.id;
                insert into removed_devices (user_id, id, platform, device_name, reason)
                  values (old.user_id, old.id, old.platform, old.device_name, 'token_moved')
                  on conflict do nothing;
                answer := 'moved';
              elsif old.id is not null then
                answer := 'known';
              else
                answer := 'created';
              end if;

              with replaced as (
                delete from devices d
                  where d.transport = device_transport and d.app_id = device_app
                    and d.token_hash <> hash and d.user_id = person
                    and case when install is not null and d.install_id is not null
                             then d.install_id = install else d.session_id = session end
                  returning d.*)
              insert into removed_devices (user_id, id, platform, device_name, reason)
                select r.user_id, r.id, r.platform, r.device_name, 'token_replaced'
                from replaced r on conflict do nothing;

              if answer = 'known' then
                id := old.id;
                update devices d set
                  session_id = session, platform = device_platform, last_registered_at = now(),
                  last_error = null,
                  environment = case when 'environment' = any (given)
                    then coalesce(device_environment, 'production') else d.environment end,
                  app_version = case when 'app_version' = any (given)
                    then version else d.app_version end,
                  device_name = case when 'device_name' = any (given)
                    then device else d.device_name end,
                  locale = case when 'locale' = any (given) then device_locale else d.locale end,
                  install_id = case when 'install_id' = any (given)
                    then install else d.install_id end,
                  capabilities = case when 'capabilities' = any (given)
                    then abilities else d.capabilities end
                  where d.id = old.id;
              else
                id := new_id;
                insert into devices (id, user_id, session_id, platform, transport, app_id, token,
                    token_hash, environment, app_version, device_name, locale, install_id,
                    capabilities)
                  values (new_id, person, session, device_platform, device_transport, device_app,
                    device_token, hash, coalesce(device_environment, 'production'), version,
                    device, device_locale, install, abilities);
              end if;
              return next;
            end $$;
            select sineta.door('sineta.register_device(uuid, text, text, text, text, text[], '
              'text, text, text, text, text, text[])');

            -- One of the caller's own devices, with its tombstone.
            create function sineta.remove_device(device uuid, why text, provider_word text)
              returns boolean
              language plpgsql security definer set search_path = sineta, pg_temp as $$
            declare gone devices;
            begin
              delete from devices d where d.id = device and d.user_id = caller()
                returning * into gone;
              if gone.id is null then return false; end if;
              insert into removed_devices (user_id, id, platform, device_name, reason,
                                           provider_reason)
                values (gone.user_id, gone.id, gone.platform, gone.device_name, why,
                        provider_word)
                on conflict do nothing;
              return true;
            end $$;
            select sineta.door('sineta.remove_device(uuid, text, text)');

            -- The devices of a store's members as coverage and dry runs need them: no names, and of
            -- the token eight digits of its hash.
            create function sineta.member_devices(store uuid)
              returns table (user_id uuid, device_id uuid, platform text, transport text,
                app_id text, environment text, locale text, is_alive boolean, token_mark text)
              language plpgsql stable security definer set search_path = sineta, pg_temp as $$
            #variable_conflict use_column
            begin
              if not serves(store) then raise insufficient_privilege; end if;
              return query select d.user_id, d.id, d.platform, d.transport, d.app_id,
                  d.environment, d.locale, s.ended_at is null and s.expires_at > now(),
                  left(encode(d.token_hash, 'hex'), 8)
                from members m join devices d on d.user_id = m.user_id
                join sessions s on s.id = d.session_id
                where m.store_id = store and m.joined_at is not null
                order by d.user_id, d.id;
            end $$;
            select sineta.door('sineta.member_devices(uuid)');
            """#)
}
