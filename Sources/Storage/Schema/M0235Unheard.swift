import Postgres

extension Migration {
    /// An alert that reached nobody is so until one of its pushes is tried again.
    static let unheard = Migration(
        235, "unheard",
        sql: #"""
            grant select, update (is_unheard) on sineta.alerts to sineta_door;
            create policy door on sineta.alerts to sineta_door using (true) with check (true);

            -- Before dead letters go back to work: their alerts are waited for again.
            create function sineta.alerts_awaited(letters bigint[]) returns bigint
              language sql security definer set search_path = sineta, pg_temp as $$
              with held as materialized (
                select a.store_id, a.id from alerts a
                where a.is_unheard and exists (select from jobs_dead j
                  where j.dead_id = any (letters) and j.kind = 'push.deliver'
                    and j.store_id = a.store_id and j.subject = a.id)
                order by a.store_id, a.id for update),
              awaited as (
                update alerts a set is_unheard = false from held h
                where a.store_id = h.store_id and a.id = h.id returning 1)
              select count(*) from awaited
            $$;
            select sineta.door('sineta.alerts_awaited(bigint[])', 'sineta_operator');
            """#)
}
