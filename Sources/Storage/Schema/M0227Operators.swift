import Postgres

extension Migration {
    /// What operators need beside the doors of `operations`.
    static let operators = Migration(
        227, "operators",
        sql: #"""
            set local role sineta_keeper;
            grant select on sineta.deliveries to sineta_door;
            create policy door_reads on sineta.deliveries for select to sineta_door using (true);
            reset role;

            -- What a retry would make of each dead letter. `accepted`: this push was taken by this
            -- device after all, and a repeat would ring twice. `stale`: past its time.
            -- `no_device`: the device is gone, or another person's. `live`: it would be sent.
            create function sineta.dead_assess(letters bigint[])
              returns table (letter bigint, store_id uuid, fate text)
              language sql stable security definer set search_path = sineta, pg_temp as $$
              select j.dead_id, j.store_id, case
                when exists (
                  select from deliveries e
                  where e.day = (j.raised_at at time zone 'UTC')::date
                    and e.store_id = j.store_id and e.alert_id = j.subject
                    and e.device_id = j.target and e.outcome = 'accepted') then 'accepted'
                when j.expires_at <= now() then 'stale'
                when j.kind = 'push.deliver' and not exists (
                  select from devices d where d.id = j.target and d.user_id = j.member)
                  then 'no_device'
                else 'live' end
              from jobs_dead j where j.dead_id = any (letters)
            $$;
            select sineta.door('sineta.dead_assess(bigint[])', 'sineta_operator');

            -- Asks the workers to try a paused credential at once: somebody has mended it.
            create function sineta.probe_soon(credentials text[], environments text[])
              returns integer
              language sql security definer set search_path = sineta, pg_temp as $$
              with asked as (
                update lane_states s set next_probe_at = now()
                from unnest(credentials, environments) o (credential, environment)
                where s.credential = o.credential and s.environment = o.environment
                  and s.state = 'paused' and s.next_probe_at > now() returning 1)
              select count(*)::integer from asked
            $$;
            grant select, update on sineta.lane_states to sineta_door;
            create policy door on sineta.lane_states to sineta_door
              using (true) with check (true);
            select sineta.door('sineta.probe_soon(text[], text[])', 'sineta_operator');
            """#)
}
