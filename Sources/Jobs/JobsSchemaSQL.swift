/// The text of the migrations. Once released a text never changes: a change is a new migration.
enum JobsSchemaSQL {
    static let tables = """
        -- A lane is kind x credential with its environment x urgency. Lower urgency goes first; there
        -- is room above urgent (10) and between it and bulk (50).
        create table sineta.lanes (
            id integer primary key check (id >= 0),
            kind text not null,
            credential text not null default '',
            environment text not null default '',
            urgency smallint not null,
            unique (kind, credential, environment, urgency)
        );

        -- Pauses and breakers, shared by all workers. No row means open.
        create table sineta.lane_states (
            credential text not null,
            environment text not null,
            state text not null check (state in ('open', 'paused', 'broken', 'off')),
            since timestamptz not null,
            reason text,
            next_probe_at timestamptz,
            probes integer not null default 0,
            primary key (credential, environment)
        );

        -- wake_at: null is ready; else the end of the lease (lease_id is set) or the time at which
        -- the job is due. Uuids stand first, so that nothing is padded. An update changes the
        -- predicate or the key of an index always, so room in the page would buy nothing.
        create table sineta.jobs (
            id uuid primary key default gen_random_uuid(),
            store_id uuid not null default '00000000-0000-0000-0000-000000000000',
            subject uuid,
            target uuid,
            member uuid,
            lease_id uuid,
            tag bigint not null default 0,
            wake_at timestamptz default now(),
            raised_at timestamptz not null default now(),
            created_at timestamptz not null default now(),
            expires_at timestamptz,
            lane integer not null default 0,
            attempts smallint not null default 0,
            losses smallint not null default 0,
            kind text not null,
            args jsonb,
            tries jsonb,
            last_error text
        ) with (
            fillfactor = 100,
            autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
            autovacuum_vacuum_cost_delay = 0,
            autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000
        );
        create index jobs_ready on sineta.jobs (lane, tag) where wake_at is null;
        create index jobs_timed on sineta.jobs (lane, wake_at) where wake_at is not null;

        -- Not unique on id: a dead job never stands in the way of a later one.
        create table sineta.jobs_dead (
            like sineta.jobs including defaults,
            dead_id bigint generated always as identity primary key,
            buried_at timestamptz not null default now(),
            reason text not null
        );
        create index jobs_dead_job on sineta.jobs_dead (id);
        create index jobs_dead_subject on sineta.jobs_dead (subject) where subject is not null;
        create index jobs_dead_reason on sineta.jobs_dead (reason, dead_id);
        create index jobs_dead_store on sineta.jobs_dead (store_id, dead_id);

        -- The last fair tag of each store in each lane.
        create table sineta.fair_tags (
            lane integer not null,
            store_id uuid not null,
            tag bigint not null,
            base bigint not null,
            primary key (lane, store_id)
        ) with (
            fillfactor = 50,
            autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
            autovacuum_vacuum_cost_delay = 0
        );
        """

    static let functions = """
        -- Virtual time of a lane. A sequence, since setval is not transactional: no row to lock and
        -- none to vacuum. Nobody else knows what is behind these two functions.
        create function sineta.jobs_clock(lane integer) returns bigint
        language sql volatile as $$
            select coalesce(pg_sequence_last_value(('sineta.jobs_clock_' || lane)::regclass), 0)
        $$;

        create function sineta.jobs_clock_advance(lane integer, tag bigint) returns bigint
        language sql volatile as $$
            select setval(
                ('sineta.jobs_clock_' || lane)::regclass, greatest(tag, sineta.jobs_clock(lane)))
        $$;

        -- Ends jobs that are still held under the leases given beside them, and returns their rows:
        -- the one way by which a job ends well. What a product keeps of the end it inserts from
        -- these rows in the same statement.
        create function sineta.jobs_finish(ids uuid[], leases uuid[]) returns setof sineta.jobs
        language plpgsql volatile rows 200 as $$
        begin
            return query
                delete from sineta.jobs j using unnest(ids, leases) o (id, lease)
                where j.id = o.id and j.lease_id = o.lease
                returning j.*;
        end
        $$;

        -- For migrations: a lane with its clock. The owner sees no rows itself (FORCE).
        create function sineta.lane_add(
            id integer, kind text, credential text, environment text, urgency integer
        ) returns void language plpgsql as $$
        declare
            before text := current_setting('role');
        begin
            execute format('create sequence sineta.jobs_clock_%s minvalue 0', id);
            execute format(
                'grant select, update on sineta.jobs_clock_%s to sineta_api, sineta_worker', id);
            perform set_config('role', 'sineta_worker', true);
            insert into sineta.lanes values (id, kind, credential, environment, urgency);
            perform set_config('role', before, true);
        end
        $$;

        -- Dead letters come back as they were, without their attempts and losses, in the bulk lane
        -- of their kind and credential. One whose id is alive again stays dead.
        create function sineta.jobs_revive(letters bigint[]) returns table (dead_id bigint)
        language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
        begin
            return query
                with d as (
                    select * from sineta.jobs_dead d where d.dead_id = any (letters)
                    order by d.dead_id for update),
                back as (
                    insert into sineta.jobs (
                        id, store_id, subject, target, member, raised_at, created_at, expires_at,
                        lane, kind, args, tries, last_error)
                    select distinct on (d.id)
                        d.id, store_id, subject, target, member, raised_at, created_at, expires_at,
                        coalesce((
                            select b.id from sineta.lanes a join sineta.lanes b
                                using (kind, credential, environment)
                            where a.id = d.lane order by b.urgency desc limit 1), d.lane),
                        kind, args, tries, last_error
                    from d order by d.id, d.dead_id
                    on conflict do nothing returning id)
                delete from sineta.jobs_dead x using back, d
                where d.id = back.id and x.dead_id = d.dead_id returning x.dead_id;
        end
        $$;
        """

    static let authority = """
        -- A request adds jobs to its own stores and reads how theirs stand; emit adds one, and an
        -- operator revives or discards dead letters, through doors.
        select sineta.guard('sineta.jobs', 'store', api => 'select, insert',
            worker => 'select, insert, update, delete', door => 'select, insert',
            operator => 'select');
        select sineta.guard('sineta.jobs_dead', 'store', api => 'select',
            worker => 'select, insert, update, delete', door => 'select, update, delete',
            operator => 'select');
        select sineta.guard('sineta.fair_tags', 'store', api => 'select, insert, update',
            worker => 'select, insert, update, delete');
        select sineta.guard('sineta.lanes', 'none', worker => 'select, insert', door => 'select',
            operator => 'select');
        select sineta.guard('sineta.lane_states', 'none',
            worker => 'select, insert, update, delete', operator => 'select');

        revoke execute on function sineta.lane_add(integer, text, text, text, integer) from public;
        revoke execute on function sineta.jobs_finish(uuid[], uuid[]) from public;
        grant execute on function sineta.jobs_finish(uuid[], uuid[]) to sineta_worker;
        revoke execute on function sineta.jobs_clock(integer) from public;
        grant execute on function sineta.jobs_clock(integer) to sineta_api, sineta_worker;
        revoke execute on function sineta.jobs_clock_advance(integer, bigint) from public;
        grant execute on function sineta.jobs_clock_advance(integer, bigint) to sineta_worker;
        select sineta.door('sineta.jobs_revive(bigint[])', 'sineta_worker, sineta_operator');
        """

    static let suspects = """
        -- A suspect is a job that workers were lost with twice, or will have been once its lease has
        -- run out. It stands in an index of its own: claims take suspects one at a time, and those
        -- that wait for that must not lie before the others.
        drop index sineta.jobs_timed;
        create index jobs_timed on sineta.jobs (lane, wake_at)
            where wake_at is not null and losses + (lease_id is not null)::integer < 2;
        create index jobs_suspects on sineta.jobs (lane, wake_at)
            where wake_at is not null and losses + (lease_id is not null)::integer >= 2;
        """

    static let timing = """
        -- When wake_at was written, by the clock that it was reckoned by: where that lies ahead of
        -- now, the clock was ahead then. A job that is ready has none.
        alter table sineta.jobs add column timed_at timestamptz default now();
        """

    static let intake = """
        -- Lane 0: what plain SQL inserts; every worker sorts it.
        select sineta.lane_add(0, '', '', '', 0);
        """
}
