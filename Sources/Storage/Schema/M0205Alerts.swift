import Postgres

extension Migration {
    /// Events as the key of their first answer, alerts with their decisions, and what was read.
    static let alerts = Migration(
        205, "alerts",
        sql: #"""
            -- Insert-only: the caller's id, and what the first call was answered. The data of an
            -- event travel in the job that decides its alert.
            create table sineta.events (
              store_id uuid not null,
              external_id text not null,
              id uuid not null,
              type text not null,
              occurred_at timestamptz not null,
              received_at timestamptz not null,
              reason text,
              primary key (store_id, external_id)
            ) with (autovacuum_vacuum_insert_threshold = 100000,
                    autovacuum_vacuum_insert_scale_factor = 0);
            -- Serves retention, and finds an event by its id, whose first 48 bits are this time.
            create index events_received on sineta.events (received_at);
            select sineta.guard('sineta.events', 'store',
              api => 'select, insert, update (reason)',
              worker => 'select, insert, update (reason), delete');

            -- cause: what raised it ('event' today). subject_kind and subject_id name the order,
            -- conversation or stock it is about; subject and content are kept forms of Alerts. recipients: those for whom steps 1-7 held, so
            -- whose inbox has it. decisions: one object per member, in the shape of Alerts.
            create table sineta.alerts (
              store_id uuid not null,
              id uuid not null,
              kind text not null,
              cause text not null default 'event',
              external_id text,
              event_type text,
              occurred_at timestamptz not null,
              raised_at timestamptz not null,
              expires_at timestamptz not null,
              decided_at timestamptz not null,
              subject_kind text,
              subject_id text,
              subject jsonb not null,
              content jsonb not null,
              decisions jsonb not null,
              recipients uuid[] not null,
              parts integer not null default 0,
              is_unheard boolean not null,
              primary key (store_id, id)
            ) with (autovacuum_vacuum_insert_threshold = 50000,
                    autovacuum_vacuum_insert_scale_factor = 0);
            -- Without the id: with it the planner takes this one for an alert by its id as well,
            -- since the policy's condition on the store makes both look equally good.
            create index alerts_subject on sineta.alerts (store_id, subject_id);
            create index alerts_unheard on sineta.alerts (store_id, id) where is_unheard;
            create index alerts_raised on sineta.alerts (raised_at);
            select sineta.guard('sineta.alerts', 'store',
              api => 'select', worker => 'select, insert, update, delete');

            -- Chunks of an audience too large for one transaction.
            create table sineta.alert_parts (
              store_id uuid not null,
              alert_id uuid not null,
              part integer not null,
              decisions jsonb not null,
              recipients uuid[] not null,
              primary key (store_id, alert_id, part)
            );
            select sineta.guard('sineta.alert_parts', 'store',
              api => 'select', worker => 'select, insert, delete');

            -- "Everything up to this alert was read at that time": rows are only added, and the
            -- first one at or after an alert says when it was read.
            create table sineta.inbox_marks (
              store_id uuid not null,
              user_id uuid not null,
              up_to uuid not null,
              read_at timestamptz not null default now(),
              primary key (store_id, user_id, up_to)
            );
            create index inbox_marks_age on sineta.inbox_marks (read_at);
            select sineta.guard('sineta.inbox_marks', 'person',
              api => 'select, insert', worker => 'select, delete');
            """#)
}
