import Postgres

extension Migration {
    /// Devices, and the tombstones of those that are gone.
    static let devices = Migration(
        203, "devices",
        sql: #"""
            -- A token may be 4,096 bytes long, more than an index entry holds: its hash is the key.
            create table sineta.devices (
              id uuid primary key,
              user_id uuid not null,
              session_id uuid not null,
              platform text not null,
              transport text not null,
              app_id text not null,
              token text not null,
              token_hash bytea not null,
              environment text not null default 'production',
              app_version text,
              device_name text,
              locale text,
              install_id text,
              capabilities text[],
              registered_at timestamptz not null default now(),
              last_registered_at timestamptz not null default now(),
              last_accepted_at timestamptz,
              last_error text
            ) with (fillfactor = 70);
            create unique index devices_token on sineta.devices (transport, app_id, token_hash);
            create index devices_user on sineta.devices (user_id, registered_at, id);
            create index devices_session on sineta.devices (session_id);
            select sineta.guard('sineta.devices', 'person',
              api => 'select, update (last_error, last_accepted_at)',
              worker => 'select, update (last_accepted_at, last_error), delete',
              door => 'select, insert, update, delete');

            create table sineta.removed_devices (
              user_id uuid not null,
              id uuid not null,
              platform text not null,
              device_name text,
              removed_at timestamptz not null default now(),
              reason text not null,
              provider_reason text,
              primary key (user_id, id)
            );
            create index removed_devices_list on sineta.removed_devices (user_id, removed_at, id);
            create index removed_devices_age on sineta.removed_devices (removed_at);
            select sineta.guard('sineta.removed_devices', 'person',
              api => 'select', worker => 'select, insert, delete', door => 'select, insert');
            """#)
}
