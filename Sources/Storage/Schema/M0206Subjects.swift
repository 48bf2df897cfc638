import Postgres

extension Migration {
    /// What the platform keeps of the facts: orders, stock, conversations. The newest `occurred_at`
    /// wins, field by field, so that any order of arrival ends in the same row.
    static let subjects = Migration(
        206, "subjects",
        sql: #"""
            -- *_by is the event that took the once-per-order mark.
            create table sineta.orders (
              store_id uuid not null,
              id text not null,
              number text not null,
              amount numeric not null,
              currency text not null,
              details_at timestamptz not null,
              customer_name text,
              customer_name_at timestamptz,
              customer_id text,
              customer_id_at timestamptz,
              channel text,
              channel_at timestamptz,
              status text not null,
              status_at timestamptz not null,
              created_at timestamptz,
              paid_at timestamptz,
              cancelled_at timestamptz,
              created_by uuid,
              paid_by uuid,
              cancelled_by uuid,
              primary key (store_id, id)
            ) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05,
                    autovacuum_vacuum_cost_delay = 0);
            select sineta.guard('sineta.orders', 'store',
              api => 'select, insert, update', worker => 'select, insert, update');

            -- raised_day is the store's calendar day of the last alert.
            create table sineta.stock (
              store_id uuid not null,
              variant_id text not null,
              location_id text not null,
              product_id text not null,
              product_name text not null,
              variant_name text,
              location_name text,
              quantity bigint not null,
              changed_at timestamptz not null,
              raised_day date,
              raised_by uuid,
              primary key (store_id, variant_id, location_id)
            ) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05,
                    autovacuum_vacuum_cost_delay = 0);
            select sineta.guard('sineta.stock', 'store',
              api => 'select, insert, update', worker => 'select, insert, update');

            -- said_status is what the newest status event said; a message after it reopens what
            -- was closed, so the status is derived and no order of arrival can matter.
            create table sineta.conversations (
              store_id uuid not null,
              id text not null,
              customer_name text,
              customer_name_at timestamptz,
              customer_id text,
              customer_id_at timestamptz,
              assignee_id uuid,
              assignee_at timestamptz,
              bot_enabled boolean not null default false,
              bot_at timestamptz,
              said_status text not null default 'open'
                check (said_status in ('open', 'pending', 'closed')),
              said_at timestamptz,
              read_at timestamptz,
              unread integer not null default 0,
              last_message_id text,
              last_message_kind text,
              last_message_text text,
              last_message_at timestamptz,
              started_by uuid,
              status text not null generated always as (
                case when said_status = 'closed' and last_message_at > said_at then 'open'
                     else said_status end) stored,
              is_waiting boolean not null generated always as (
                unread > 0 and (said_status <> 'closed'
                  or coalesce(last_message_at > said_at, false))) stored,
              primary key (store_id, id)
            ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05,
                    autovacuum_vacuum_cost_delay = 0);
            -- The badge, and `counts`.
            create index conversations_waiting on sineta.conversations (store_id, assignee_id)
              where is_waiting;
            create index conversations_status on sineta.conversations (store_id, status);
            select sineta.guard('sineta.conversations', 'store',
              api => 'select, insert, update', worker => 'select, insert, update');

            -- The ids of messages, remembered for as long as events are; raised_by is the event
            -- whose alert told of it.
            create table sineta.messages (
              store_id uuid not null,
              conversation_id text not null,
              id text not null,
              at timestamptz not null,
              raised_by uuid,
              primary key (store_id, conversation_id, id)
            ) with (fillfactor = 90);
            create index messages_time on sineta.messages (store_id, conversation_id, at);
            create index messages_age on sineta.messages (at);
            select sineta.guard('sineta.messages', 'store',
              api => 'select, insert, update', worker => 'select, insert, update, delete');
            """#)
}
