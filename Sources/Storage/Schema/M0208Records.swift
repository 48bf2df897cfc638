import Postgres

extension Migration {
    /// The audit log, the answers kept for `Idempotency-Key`, and who may raise events by SQL.
    static let records = Migration(
        208, "records",
        sql: #"""
            -- An act without a store carries the nil UUID. Nobody may change or delete a row.
            create table sineta.audit (
              store_id uuid not null,
              id uuid not null default sineta.uuid7(),
              at timestamptz not null default now(),
              actor text not null,
              act text not null,
              subject text not null,
              before jsonb,
              after jsonb,
              primary key (store_id, id)
            );
            create index audit_time on sineta.audit (at, id);
            select sineta.guard('sineta.audit', 'store',
              api => 'select, insert', worker => 'insert', door => 'insert',
              operator => 'select, insert');
            create policy storeless on sineta.audit for insert to sineta_api
              with check (store_id = '00000000-0000-0000-0000-000000000000');

            -- caller is a person's or an API token's id. answer is null for answers that carry a
            -- secret: they are given once.
            create table sineta.idempotency_keys (
              caller uuid not null,
              route text not null,
              key text not null,
              body_hash bytea not null,
              status smallint not null,
              answer bytea,
              created_at timestamptz not null default now(),
              primary key (caller, route, key)
            );
            create index idempotency_keys_age on sineta.idempotency_keys (created_at);
            select sineta.guard('sineta.idempotency_keys', 'none',
              api => 'select, insert, update', worker => 'select, delete');
            grant select, insert, update on sineta.idempotency_keys to sineta_operator;
            create policy caller on sineta.idempotency_keys to sineta_api, sineta_operator
              using (caller = (select nullif(current_setting('app.caller', true), '')::uuid))
              with check (caller = (select nullif(current_setting('app.caller', true), '')::uuid));

            -- Which database role may raise events for which store by sineta.emit.
            create table sineta.emitters (
              store_id uuid not null,
              role name not null,
              primary key (store_id, role)
            );
            select sineta.guard('sineta.emitters', 'none',
              door => 'select, insert, delete', operator => 'select, insert, delete');
            """#)
}
