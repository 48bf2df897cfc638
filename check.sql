set role sineta_worker;
prepare p1 as         with l as materialized (
            select l.lane, l.low, coalesce(l.due_from, '-infinity') as due_from, l.quota
            from unnest($2::integer[], $3::bigint[], $4::timestamptz[], $5::integer[])
                l (lane, low, due_from, quota)
            join sineta.lanes r on r.id = l.lane
            left join sineta.lane_states s
                on s.credential = r.credential and s.environment = r.environment
            where coalesce(s.state, 'open') = 'open'),
        due as materialized (
            select l.lane, j.at from l cross join lateral (
                select ctid as at from sineta.jobs
                where lane = l.lane and wake_at <= now() and wake_at > l.due_from
                order by wake_at limit (l.quota + 1) / 2 for update skip locked) j),
        ready as materialized (
            select l.lane, j.at, j.tag from l cross join lateral (
                select ctid as at, tag from sineta.jobs
                where lane = l.lane and wake_at is null and tag >= l.low
                order by tag limit l.quota - (select count(*) from due where due.lane = l.lane)
                for update skip locked) j),
        n as materialized (
            select l.lane, (select count(*) from due d where d.lane = l.lane) as due,
                count(r.tag) as ready, min(r.tag) as low, max(r.tag) as high
            from l left join ready r on r.lane = l.lane group by l.lane),
        u as (
            update sineta.jobs set wake_at = now() + $6::interval, lease_id = $1,
                losses = losses + (lease_id is not null)::integer
            where ctid = any (array(select at from due union all select at from ready))
            returning lane, id, kind, store_id, subject, target, member, raised_at, created_at,
                expires_at, attempts, losses, args),
        k as materialized (
            select sineta.jobs_clock_advance(lane, high) from n where high is not null)
        select n.lane, now(), n.due, n.ready, n.low, u.id, u.kind, u.store_id, u.subject, u.target,
            u.member, u.raised_at, u.created_at, u.expires_at, u.attempts, u.losses, u.args
        from n left join u on u.lane = n.lane cross join (select count(*) from k) k;
\echo 1 JobQueue+Claim.swift
prepare p2 as         with gate as materialized (
            select credential, environment from sineta.lane_states
            where credential = $1 and environment = $2 and state = 'broken'
                and next_probe_at <= now() for update skip locked),
        lane as materialized (
            select l.id, l.urgency from gate join sineta.lanes l
                on l.credential = gate.credential and l.environment = gate.environment),
        ready as materialized (
            select lane.urgency, j.at from lane cross join lateral (
                select ctid as at from sineta.jobs where jobs.lane = lane.id and wake_at is null
                order by tag limit 1 for update skip locked) j),
        due as materialized (
            select lane.urgency, j.at from lane cross join lateral (
                select ctid as at from sineta.jobs where jobs.lane = lane.id and wake_at <= now()
                order by wake_at limit 1 for update skip locked) j),
        pick as materialized (
            select at from (
                select urgency, 0 as turn, at from ready union all
                select urgency, 1, at from due) c
            order by urgency, turn limit 1),
        next as (
            update sineta.lane_states s set next_probe_at = now() + $3::interval,
                probes = s.probes + 1
            from gate where s.credential = gate.credential and s.environment = gate.environment
                and exists (select 1 from pick))
        update sineta.jobs set wake_at = now() + $5::interval, lease_id = $4,
            losses = losses + (lease_id is not null)::integer
        where ctid = any (array(select at from pick))
        returning lane, now(), 0, 0, 0, id, kind, store_id, subject, target, member, raised_at,
            created_at, expires_at, attempts, losses, args;
\echo 2 JobQueue+Claim.swift
prepare p3 as             select coalesce((select max(age(backend_xmin)) from pg_stat_activity), 0)::bigint,
                coalesce(n_dead_tup, 0), coalesce(n_live_tup, 0)
            from pg_stat_user_tables where schemaname = 'sineta' and relname = 'jobs';
\echo 3 JobQueue+Counts.swift
prepare p4 as         select l.id, l.kind, l.credential, l.environment, l.urgency,
            (select count(*) from (
                select from sineta.jobs where lane = l.id and wake_at is null limit $1) r),
            t.scheduled, t.leased,
            extract(epoch from now() - least(t.due, (
                select min(created_at) from (
                    select created_at from sineta.jobs where lane = l.id and wake_at is null
                    order by tag limit 100) o)))::double precision
        from sineta.lanes l cross join lateral (
            select count(*) filter (where lease_id is null) as scheduled,
                count(*) filter (where lease_id is not null) as leased,
                min(wake_at) filter (where lease_id is null and wake_at <= now()) as due
            from (
                select wake_at, lease_id from sineta.jobs
                where lane = l.id and wake_at is not null order by wake_at limit $1) x) t
        order by l.id;
\echo 4 JobQueue+Counts.swift
prepare p5 as             select dead_id, id, kind, lane, store_id, subject, target, member, reason, attempts,
                losses, raised_at, buried_at, expires_at
            from sineta.jobs_dead
            where ($1::text is null or reason = $1) and ($2::uuid is null or store_id = $2)
                and ($3::text is null or kind = $3) and ($4::bigint is null or dead_id < $4)
            order by dead_id desc limit $5;
\echo 5 JobQueue+DeadLetters.swift
prepare p6 as                 select dead_id, id, kind, lane, store_id, subject, target, member, reason, attempts,
                    losses, raised_at, buried_at, expires_at
                from sineta.jobs_dead where dead_id = any ($1::bigint[]) order by dead_id desc;
\echo 6 JobQueue+DeadLetters.swift
prepare p7 as             select kind, reason, count(*) from sineta.jobs_dead
            group by kind, reason order by count(*) desc, reason, kind limit 1000;
\echo 7 JobQueue+DeadLetters.swift
prepare p8 as             update sineta.jobs j set lane = o.lane, wake_at = now(), lease_id = null
            from unnest($1::uuid[], $2::uuid[], $3::integer[]) o (id, lease, lane)
            where j.id = o.id and j.lease_id = o.lease returning j.id;
\echo 8 JobQueue+Ends.swift
prepare p9 as             update sineta.jobs set args = $3, wake_at = now() + $4::interval
            where id = $1 and lease_id = $2 returning id;
\echo 9 JobQueue+Ends.swift
prepare p10 as         update sineta.jobs j set
            wake_at = now() + o.wait * interval '1 microsecond',
            attempts = j.attempts + o.cost, lease_id = null,
            last_error = coalesce(o.reason, j.last_error),
            tries = case when o.try is null then j.tries
                else coalesce(j.tries, '[]') || jsonb_build_array(o.try) end
        from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::smallint[], $5::text[], $6::jsonb[])
            o (id, lease, wait, cost, reason, try)
        where j.id = o.id and j.lease_id = o.lease returning j.id;
\echo 10 JobQueue+Ends.swift
prepare p11 as         with o as (
            select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::smallint[], $5::jsonb[])
                o (id, lease, reason, cost, try)),
        gone as (
            delete from sineta.jobs j using o where j.id = o.id and j.lease_id = o.lease
            returning j.*, o.reason, o.cost, o.try)
        insert into sineta.jobs_dead (
            id, store_id, subject, target, member, lease_id, tag, wake_at, raised_at, created_at,
            expires_at, lane, attempts, losses, kind, args, tries, last_error, reason)
        select id, store_id, subject, target, member, null, tag, null, raised_at, created_at,
            expires_at, lane, attempts + cost, losses, kind, args,
            case when try is null then tries
                else coalesce(tries, '[]') || jsonb_build_array(try) end,
            coalesce(reason, last_error), reason
        from gone returning id;
\echo 11 JobQueue+Ends.swift
prepare p12 as         with u as materialized (
            select * from unnest(
                $1::uuid[], $2::integer[], $3::text[], $4::uuid[], $5::uuid[], $6::uuid[],
                $7::uuid[], $8::timestamptz[], $9::timestamptz[], $10::jsonb[]) with ordinality
                u (id, lane, kind, store_id, subject, target, member, raised_at, expires_at, args, n)),
        c as (
            select lane, store_id, count(*) * 1000000 as cost from u group by lane, store_id),
        v as materialized (
            select lane, sineta.jobs_clock(lane) as v from (select distinct lane from c) l),
        q as (
            insert into sineta.fair_tags as q (lane, store_id, tag, base)
            select c.lane, c.store_id, v.v + c.cost, v.v from c join v on v.lane = c.lane
            order by c.lane, c.store_id
            on conflict (lane, store_id) do update set
                tag = greatest(q.tag, excluded.base) + excluded.tag - excluded.base,
                base = excluded.base
            returning lane, store_id, tag)
        insert into sineta.jobs (
            id, lane, kind, store_id, tag, wake_at, subject, target, member, raised_at, expires_at,
            args)
        select u.id, u.lane, u.kind, u.store_id,
            q.tag - (row_number() over (partition by u.lane, u.store_id order by u.n desc) - 1)
                * 1000000 - floor(random() * 1000000)::bigint,
            null, u.subject, u.target, u.member, u.raised_at, u.expires_at, u.args
        from u join q on q.lane = u.lane and q.store_id = u.store_id;
\echo 12 JobQueue+Enqueue.swift
prepare p13 as             select credential, environment, state, since, reason, next_probe_at
            from sineta.lane_states order by credential, environment;
\echo 13 JobQueue+Lanes.swift
prepare p14 as             insert into sineta.lane_states as s
                (credential, environment, state, since, reason, next_probe_at)
            values ($1, $2, 'broken', now(), $3, now() + $4::interval)
            on conflict (credential, environment) do update set state = excluded.state,
                since = excluded.since, reason = excluded.reason,
                next_probe_at = excluded.next_probe_at, probes = 0
            where s.state in ('open', 'off') returning state;
\echo 14 JobQueue+Lanes.swift
prepare p15 as             insert into sineta.lane_states as s
                (credential, environment, state, since, reason, next_probe_at)
            values ($1, $2, 'paused', now(), $3, now() + $4::interval)
            on conflict (credential, environment) do update set state = excluded.state,
                since = excluded.since, reason = excluded.reason,
                next_probe_at = excluded.next_probe_at, probes = 0
            where s.state <> 'paused' returning state;
\echo 15 JobQueue+Lanes.swift
prepare p16 as             update sineta.lane_states set state = 'open', since = now(), reason = null,
                next_probe_at = null, probes = 0
            where credential = $1 and environment = $2 and state = $3 returning state;
\echo 16 JobQueue+Lanes.swift
prepare p17 as             insert into sineta.lane_states as s (credential, environment, state, since, reason)
            values ($1, $2, 'off', now(), $3)
            on conflict (credential, environment) do update set state = excluded.state,
                since = excluded.since, reason = excluded.reason, next_probe_at = null
            where s.state = 'open' returning state;
\echo 17 JobQueue+Lanes.swift
prepare p18 as             update sineta.lane_states set probes = probes + 1, next_probe_at = now()
                + least($4::interval, $3::interval * power(2, least(probes + 1, 20)))
            where credential = $1 and environment = $2 and state = 'paused'
                and next_probe_at <= now() returning state;
\echo 18 JobQueue+Lanes.swift