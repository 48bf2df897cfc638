import Postgres

extension Migration {
    /// Stores, people and who belongs where.
    static let people = Migration(
        201, "people",
        sql: #"""
            create table sineta.stores (
              id uuid primary key,
              name text not null,
              time_zone text not null,
              locale text not null,
              currency text not null,
              low_stock_threshold integer not null default 5,
              created_at timestamptz not null default now()
            );
            select sineta.guard('sineta.stores', 'self',
              api => 'select, update (name, time_zone, locale, currency, low_stock_threshold)',
              worker => 'select', door => 'select, insert',
              operator => 'select (id, name, created_at)');

            -- E-mail addresses are kept in lower case; a person without a password was invited and
            -- has not come yet.
            create table sineta.users (
              id uuid primary key,
              email text not null unique check (email = lower(email)),
              name text not null,
              locale text,
              password_hash text,
              is_operator boolean not null default false,
              disabled_at timestamptz,
              created_at timestamptz not null default now()
            );
            select sineta.guard('sineta.users', 'none',
              api => 'select (id, email, name, locale, is_operator), update (name, locale)',
              worker => 'select (id, name, locale, disabled_at)',
              door => 'select, insert, update');

            -- kinds of permission are an open list: text[], checked where they are set.
            -- joined_at is null until the invite was taken: such a member hears nothing.
            create table sineta.members (
              store_id uuid not null,
              user_id uuid not null,
              role text not null check (role in ('owner', 'admin', 'staff')),
              permissions text[] not null default '{}',
              created_at timestamptz not null default now(),
              joined_at timestamptz,
              primary key (store_id, user_id)
            );
            create index members_user on sineta.members (user_id);
            select sineta.guard('sineta.members', 'store',
              api => 'select, update (role, permissions), delete',
              worker => 'select', door => 'select, insert, update, delete');

            -- Whether a member may, by role or by grant.
            create function sineta.may(role text, permissions text[], permission text)
              returns boolean language sql immutable parallel safe as $$
              select role <> 'staff' or permission = any (permissions)
            $$;
            revoke execute on function sineta.may(text, text[], text) from public;
            grant execute on function sineta.may(text, text[], text)
              to sineta_api, sineta_worker, sineta_operator, sineta_door;

            -- One sees oneself and the people of the stores one was let in for; one changes oneself.
            create policy oneself on sineta.users for all to sineta_api
              using (id = (select nullif(current_setting('app.user', true), '')::uuid))
              with check (id = (select nullif(current_setting('app.user', true), '')::uuid));
            create policy colleagues on sineta.users for select to sineta_api
              using (exists (select from sineta.members m where m.user_id = users.id
                and m.store_id = any ((select nullif(current_setting('app.stores', true), '')::uuid[])::uuid[])));
            """#)
}
