import Postgres

extension Migration {
    /// The doors of operators into what belongs to no store alone.
    static let operations = Migration(
        225, "operations",
        sql: #"""
            -- What a retry of dead letters would come to: how many there are, how many of them are
            -- past their time, and how many have no device any more (or another person's).
            create function sineta.dead_preview(letters bigint[])
              returns table (letters_found bigint, stale bigint, without_device bigint)
              language sql stable security definer set search_path = sineta, pg_temp as $$
              select count(*), count(*) filter (where j.expires_at <= now()),
                count(*) filter (where j.kind = 'push.deliver' and not exists (
                  select from devices d where d.id = j.target and d.user_id = j.member))
              from jobs_dead j where j.dead_id = any (letters)
            $$;
            select sineta.door('sineta.dead_preview(bigint[])', 'sineta_operator');

            -- Gives dead letters up: only this writes their end.
            create function sineta.dead_discard(letters bigint[]) returns bigint
              language sql security definer set search_path = sineta, pg_temp as $$
              with gone as (
                delete from jobs_dead j where j.dead_id = any (letters) returning j.*),
              kept as (
                insert into deliveries (day, store_id, alert_id, device_id, id, user_id, raised_at,
                  attempts, outcome, reason, tries)
                select (raised_at at time zone 'UTC')::date, store_id, subject, target, id, member,
                  raised_at, attempts, 'dead', reason, tries
                from gone where kind = 'push.deliver' and subject is not null
                  and target is not null and member is not null
                  -- Of a day that has been dropped nothing is kept any more.
                  and exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
                    where i.inhparent = 'sineta.deliveries'::regclass and c.relname =
                      'deliveries_' || to_char(raised_at at time zone 'UTC', 'YYYYMMDD'))
                on conflict do nothing)
              select count(*) from gone
            $$;
            set local role sineta_keeper;
            grant insert on sineta.deliveries to sineta_door;
            create policy door on sineta.deliveries for insert to sineta_door with check (true);
            reset role;
            select sineta.door('sineta.dead_discard(bigint[])', 'sineta_operator');

            -- How many dead letters would be retried whose push the device took after all: never
            -- those, since a repeat would ring twice.
            create function sineta.dead_accepted(letters bigint[]) returns bigint[]
              language sql stable security definer set search_path = sineta, pg_temp as $$
              select coalesce(array_agg(j.dead_id), '{}') from jobs_dead j
              join devices d on d.id = j.target and d.last_accepted_at is not null
              where j.dead_id = any (letters)
            $$;
            select sineta.door('sineta.dead_accepted(bigint[])', 'sineta_operator');
            """#)
}
