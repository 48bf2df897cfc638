import Postgres

extension Migration {
    /// A retry holds the alerts of all its letters, marked or not, so that nobody marks one while
    /// it is under way.
    static let awaited = Migration(
        236, "awaited",
        sql: #"""
            -- For the sweep of alerts that reached nobody.
            create index jobs_dead_buried on sineta.jobs_dead (buried_at);

            -- Before dead letters go back to work: their alerts are waited for again. Who marks an
            -- alert holds it first and looks at its pushes then; held here as well, it is looked at
            -- when the pushes are back. What stands in the row after the wait tells what to change:
            -- the update would look at the row of before.
            create or replace function sineta.alerts_awaited(letters bigint[]) returns bigint
              language sql security definer set search_path = sineta, pg_temp as $$
              with held as materialized (
                select a.* from (
                  select distinct store_id, subject from jobs_dead
                  where dead_id = any (letters) and kind = 'push.deliver'
                  order by store_id, subject) j
                cross join lateral (
                  select store_id, id, is_unheard from alerts
                  where store_id = j.store_id and id = j.subject
                  limit 1 for update) a),
              awaited as (
                update alerts a set is_unheard = false from held h
                where h.is_unheard and a.store_id = h.store_id and a.id = h.id returning 1)
              select count(*) from awaited
            $$;
            """#)
}
