import Postgres

extension Migration {
    /// How pushes ended, in partitions by the UTC day on which their alert was raised. They belong
    /// to `sineta_keeper`, whose functions alone add and drop partitions.
    static let deliveries = Migration(
        207, "deliveries",
        sql: #"""
            -- provider_id is the provider's own id of the message; tries is one {at, status,
            -- reason} per attempt.
            create table sineta.deliveries (
              day date not null,
              store_id uuid not null,
              alert_id uuid not null,
              device_id uuid not null,
              id uuid not null,
              user_id uuid not null,
              raised_at timestamptz not null,
              finished_at timestamptz not null default now(),
              attempts smallint not null,
              status smallint,
              outcome text not null check (outcome in
                ('accepted', 'rejected', 'expired', 'suppressed', 'dead')),
              provider text,
              reason text,
              provider_id text,
              tries jsonb,
              primary key (day, store_id, alert_id, device_id)
            ) partition by range (day);
            -- Throughput of the last minutes; rows come in the order of this time.
            create index deliveries_finished on sineta.deliveries
              using brin (finished_at) with (pages_per_range = 16);
            select sineta.guard('sineta.deliveries', 'store',
              api => 'select', worker => 'select, insert', operator => 'select, insert');
            grant create on schema sineta to sineta_keeper;
            alter table sineta.deliveries owner to sineta_keeper;

            -- Makes the partitions of the next `ahead` days. One keeper at a time; a table that is
            -- made apart and then attached waits for no reader of the parent.
            create function sineta.keep_deliveries(ahead integer) returns integer
              language plpgsql security definer set search_path = sineta, pg_temp
              set lock_timeout = '2s' as $$
            declare
              today constant date := (now() at time zone 'UTC')::date;
              wanted date; part text; made integer := 0;
            begin
              if not pg_try_advisory_xact_lock(hashtextextended('sineta.deliveries', 0)) then
                return 0;
              end if;
              -- Yesterday too: a job raised before midnight may end after it.
              for wanted in select today + n from generate_series(-1, ahead) n loop
                part := 'deliveries_' || to_char(wanted, 'YYYYMMDD');
                if to_regclass('sineta.' || part) is null then
                  execute format(
                    'create table sineta.%I (like sineta.deliveries including all)
                       with (autovacuum_vacuum_insert_scale_factor = 0,
                             autovacuum_vacuum_insert_threshold = 100000)', part);
                  execute format('alter table sineta.%I enable row level security', part);
                  execute format('alter table sineta.%I force row level security', part);
                  execute format(
                    'alter table sineta.deliveries attach partition sineta.%I
                       for values from (%L) to (%L)', part, wanted, wanted + 1);
                  made := made + 1;
                end if;
              end loop;
              return made;
            end $$;

            -- Drops the partitions of days before `oldest`. DETACH CONCURRENTLY is refused inside
            -- functions; a plain one that cannot have its lock soon is tried again another time.
            create function sineta.drop_deliveries(oldest date) returns integer
              language plpgsql security definer set search_path = sineta, pg_temp
              set lock_timeout = '500ms' as $$
            declare part record; dropped integer := 0;
            begin
              if oldest > (now() at time zone 'UTC')::date - 7 then
                raise 'deliveries are kept for 7 days at least' using errcode = '22023';
              end if;
              if not pg_try_advisory_xact_lock(hashtextextended('sineta.deliveries', 0)) then
                return 0;
              end if;
              for part in
                select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
                where i.inhparent = 'sineta.deliveries'::regclass
                  -- CASE, since the names of other tables may be looked at first.
                  and case when c.relname ~ '^deliveries_[0-9]{8}$'
                    then to_date(right(c.relname, 8), 'YYYYMMDD') < oldest else false end
                order by c.relname
              loop
                execute format('alter table sineta.deliveries detach partition sineta.%I',
                  part.relname);
                execute format('drop table sineta.%I', part.relname);
                dropped := dropped + 1;
              end loop;
              return dropped;
            end $$;

            revoke execute on function sineta.keep_deliveries(integer) from public;
            revoke execute on function sineta.drop_deliveries(date) from public;
            grant execute on function sineta.keep_deliveries(integer) to sineta_worker;
            grant execute on function sineta.drop_deliveries(date) to sineta_worker;
            alter function sineta.keep_deliveries(integer) owner to sineta_keeper;
            alter function sineta.drop_deliveries(date) owner to sineta_keeper;
            set local role sineta_worker;
            select sineta.keep_deliveries(7);
            reset role;
            """#)
}
