import Postgres

extension Migration {
    /// Sign-ins: sessions, their tokens (hashes only), links for invites and resets, and the
    /// counters that slow guessing down.
    static let sessions = Migration(
        202, "sessions",
        sql: #"""
            -- generation is the number of the refresh token that is good now.
            create table sineta.sessions (
              id uuid primary key,
              user_id uuid not null,
              device_name text,
              generation integer not null default 1,
              rotated_at timestamptz not null default now(),
              created_at timestamptz not null default now(),
              last_used_at timestamptz not null default now(),
              expires_at timestamptz not null,
              ended_at timestamptz,
              end_reason text
            ) with (fillfactor = 80);
            create index sessions_user on sineta.sessions (user_id, created_at, id);
            create index sessions_expiry on sineta.sessions (expires_at);
            select sineta.guard('sineta.sessions', 'person',
              api => 'select', worker => 'select, delete',
              door => 'select, insert, update');

            -- Every generation's hash is remembered, so that a replay is known from garbage.
            create table sineta.refresh_tokens (
              hash bytea primary key,
              session_id uuid not null,
              generation integer not null,
              created_at timestamptz not null default now()
            );
            create index refresh_tokens_session on sineta.refresh_tokens (session_id, generation);
            select sineta.guard('sineta.refresh_tokens', 'none',
              worker => 'select, delete', door => 'select, insert');

            create table sineta.access_tokens (
              hash bytea primary key,
              session_id uuid not null,
              expires_at timestamptz not null
            );
            create index access_tokens_expiry on sineta.access_tokens (expires_at);
            select sineta.guard('sineta.access_tokens', 'none',
              worker => 'select, delete', door => 'select, insert');

            -- An invite names its store; a reset has none.
            create table sineta.links (
              hash bytea primary key,
              purpose text not null check (purpose in ('invite', 'reset')),
              user_id uuid not null,
              store_id uuid,
              created_by uuid,
              created_at timestamptz not null default now(),
              expires_at timestamptz not null,
              used_at timestamptz
            );
            create index links_user on sineta.links (user_id);
            create index links_expiry on sineta.links (expires_at);
            select sineta.guard('sineta.links', 'none',
              worker => 'select, delete', door => 'select, insert, update');

            -- scope: 'address' (requests of a minute), 'pair' (account and /64), 'account'.
            create table sineta.login_counters (
              scope text not null,
              key text not null,
              attempts integer not null,
              started_at timestamptz not null,
              last_at timestamptz not null,
              blocked_until timestamptz,
              primary key (scope, key)
            ) with (fillfactor = 70);
            create index login_counters_age on sineta.login_counters (last_at);
            select sineta.guard('sineta.login_counters', 'none',
              worker => 'select, delete', door => 'select, insert, update, delete');

            -- Networks from which somebody signed in: they are never locked out.
            create table sineta.login_networks (
              user_id uuid not null,
              network text not null,
              last_at timestamptz not null,
              primary key (user_id, network)
            );
            create index login_networks_age on sineta.login_networks (last_at);
            select sineta.guard('sineta.login_networks', 'none',
              worker => 'select, delete', door => 'select, insert, update');

            -- Only an HMAC of a store's token is kept. The index is not unique, so that the table
            -- can be distributed by store; 256 random bits do not meet.
            create table sineta.api_tokens (
              store_id uuid not null,
              id uuid not null,
              name text not null,
              prefix text not null,
              hash bytea not null,
              created_by uuid,
              created_at timestamptz not null default now(),
              last_used_at timestamptz,
              primary key (store_id, id)
            ) with (fillfactor = 80);
            create index api_tokens_hash on sineta.api_tokens (hash);
            select sineta.guard('sineta.api_tokens', 'store',
              api => 'select (store_id, id, name, prefix, created_at, last_used_at), insert, delete',
              door => 'select, insert, update (last_used_at)');
            """#)
}
