import Postgres

extension Migration {
    /// Two operators who discard the same dead letters at once, each a page of them, lock them in
    /// one order.
    static let lockOrder = Migration(
        228, "lock order",
        sql: #"""
            -- Both said what `dead_assess` says in one answer.
            drop function sineta.dead_preview(bigint[]);
            drop function sineta.dead_accepted(bigint[]);

            -- Gives dead letters up: only this writes their end. Letters are locked in the order of
            -- their numbers, as `jobs_revive` does, and ends are written in the order of their key.
            drop function sineta.dead_discard(bigint[]);
            create function sineta.dead_discard(letters bigint[]) returns bigint
              language sql security definer set search_path = sineta, pg_temp as $$
              with held as materialized (
                select j.dead_id from jobs_dead j where j.dead_id = any (letters)
                order by j.dead_id for update),
              gone as (
                delete from jobs_dead j using held h where j.dead_id = h.dead_id returning j.*),
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
                order by 1, 2, 3, 4
                on conflict do nothing)
              select count(*) from gone
            $$;
            select sineta.door('sineta.dead_discard(bigint[])', 'sineta_operator');
            """#)
}
