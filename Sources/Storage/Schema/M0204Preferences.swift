import Postgres

extension Migration {
    /// What members want to hear, what the store requires, and the store's own words.
    static let preferences = Migration(
        204, "preferences",
        sql: #"""
            -- A kind is on, off, or in neither list: then it follows the default. saved_at is null
            -- while only minimums were set.
            create table sineta.push_preferences (
              store_id uuid not null,
              user_id uuid not null,
              is_enabled boolean not null default true,
              kinds_on text[] not null default '{}',
              kinds_off text[] not null default '{}',
              minimums jsonb not null default '{}',
              version bigint not null default 1,
              saved_at timestamptz,
              updated_at timestamptz not null default now(),
              primary key (store_id, user_id)
            );
            select sineta.guard('sineta.push_preferences', 'store',
              api => 'select, insert, update, delete', worker => 'select', door => 'select, delete');

            -- Mutes today: muted_until is infinity for a mute without an end.
            create table sineta.subject_settings (
              store_id uuid not null,
              user_id uuid not null,
              subject_kind text not null,
              subject_id text not null,
              level text,
              muted_until timestamptz,
              source text not null default 'member',
              updated_at timestamptz not null default now(),
              primary key (store_id, user_id, subject_kind, subject_id)
            );
            create index subject_settings_subject
              on sineta.subject_settings (store_id, subject_kind, subject_id);
            select sineta.guard('sineta.subject_settings', 'store',
              api => 'select, insert, update, delete',
              worker => 'select, delete', door => 'select, delete');

            -- defaults is null while the store follows the product's own.
            create table sineta.push_policies (
              store_id uuid primary key,
              defaults text[],
              version bigint not null default 1,
              updated_at timestamptz not null default now()
            );
            select sineta.guard('sineta.push_policies', 'store',
              api => 'select, insert, update', worker => 'select', door => 'select');

            create table sineta.required_kinds (
              store_id uuid not null,
              kind text not null,
              locked_by uuid not null,
              locked_at timestamptz not null default now(),
              primary key (store_id, kind)
            );
            select sineta.guard('sineta.required_kinds', 'store',
              api => 'select, insert, delete', worker => 'select', door => 'select');

            create table sineta.templates (
              store_id uuid not null,
              kind text not null,
              language text not null,
              title text not null,
              body text not null,
              version bigint not null default 1,
              updated_by uuid,
              updated_at timestamptz not null default now(),
              primary key (store_id, kind, language)
            );
            select sineta.guard('sineta.templates', 'store',
              api => 'select, insert, update, delete', worker => 'select');
            """#)
}
