import Postgres

extension Migration {
    /// A try that was lost with its worker is told of when the push has ended, too.
    static let losses = Migration(
        234, "losses",
        sql: #"""
            set local role sineta_keeper;
            alter table sineta.deliveries add column losses smallint not null default 0;
            reset role;

            -- Gives dead letters up: only this writes their end. Letters are locked in the order of
            -- their numbers, as `jobs_revive` does, and ends are written in the order of their key.
            create or replace function sineta.dead_discard(letters bigint[]) returns bigint
              language sql security definer set search_path = sineta, pg_temp as $$
              with held as materialized (
                select j.dead_id from jobs_dead j where j.dead_id = any (letters)
                order by j.dead_id for update),
              gone as (
                delete from jobs_dead j using held h where j.dead_id = h.dead_id returning j.*),
              kept as (
                insert into deliveries (day, store_id, alert_id, device_id, id, user_id, raised_at,
                  attempts, outcome, reason, tries, losses)
                select (raised_at at time zone 'UTC')::date, store_id, subject, target, id, member,
                  raised_at, attempts, 'dead', reason, tries, losses
                from gone where kind = 'push.deliver' and subject is not null
                  and target is not null and member is not null
                  -- Of a day that has been dropped nothing is kept any more.
                  and exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
                    where i.inhparent = 'sineta.deliveries'::regclass and c.relname =
                      'deliveries_' || to_char(raised_at at time zone 'UTC', 'YYYYMMDD'))
                order by 1, 2, 3, 4
                on conflict do nothing)
              select count(*) from gone
            $$;
            """#)
}
