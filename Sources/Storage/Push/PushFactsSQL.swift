import Postgres

extension PushMaterial {
    /// Lookups by primary key for each push. Waiting conversations are counted once per store and
    /// assignee; an assignee who has left, or may not read them any more, counts as nobody.
    ///
    /// Each lookup is a subquery with a bound, which is looked up for each push and not joined:
    /// a plan that was made while the tables were new, and is kept, would read whole tables
    /// (decision record 15).
    static let sql: StaticSQL = """
        with x as materialized (
          select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[])
            x (push, store_id, alert_id, device_id, user_id)),
        waiting as materialized (
          select s.store_id, c.assignee_id, c.n
          from (select distinct store_id from x) s
          cross join lateral (
            select c.assignee_id, count(*) as n from sineta.conversations c
            where c.store_id = s.store_id and c.is_waiting group by c.assignee_id) c),
        nobodys as materialized (
          select w.store_id, sum(w.n) as n from waiting w
          left join lateral (
            select m.user_id from sineta.members m
            where m.store_id = w.store_id and m.user_id = w.assignee_id
              and m.joined_at is not null
              and sineta.may(m.role, m.permissions, 'conversations.read') limit 1) m on true
          where m.user_id is null group by w.store_id)
        select x.push, x.store_id, a.id, a.kind, a.occurred_at, a.subject, a.content,
          s.name, s.locale, pp.defaults,
          array(select r.kind from sineta.required_kinds r where r.store_id = x.store_id),
          m.role, m.permissions,
          p.is_enabled, p.kinds_on, p.kinds_off, p.minimums, p.saved_at is not null,
          d.id, d.platform, d.transport, d.environment, d.app_id, d.token, d.locale,
          d.last_registered_at, ss.ended_at is null and ss.expires_at > now(),
          u.locale, x.user_id, now(),
          c.assignee_id, am.role, am.permissions,
          (select jsonb_object_agg(t.language, jsonb_build_object('title', t.title, 'body', t.body))
            from sineta.templates t where t.store_id = x.store_id and t.kind = a.kind),
          x.device_id,
          (coalesce((select w.n from waiting w
              where w.store_id = x.store_id and w.assignee_id = x.user_id
                and sineta.may(m.role, m.permissions, 'conversations.read')), 0)
            + coalesce((select b.n from nobodys b where b.store_id = x.store_id), 0))::bigint,
          (select array_agg(t.subject_kind || ' ' || t.subject_id)
            from (select t.subject_kind, t.subject_id from sineta.subject_settings t
              where t.store_id = x.store_id and t.user_id = x.user_id and t.muted_until > now()
              offset 0) t
            where exists (select from jsonb_each_text(a.subject) e where e.value = t.subject_id))
        from x
        join lateral (
          select id, kind, occurred_at, subject_kind, subject_id, subject, content
          from sineta.alerts a
          where a.store_id = x.store_id and a.id = x.alert_id limit 1) a on true
        join lateral (
          select name, locale from sineta.stores s where s.id = x.store_id limit 1) s on true
        left join lateral (
          select defaults from sineta.push_policies pp
          where pp.store_id = x.store_id limit 1) pp on true
        left join lateral (
          select locale, disabled_at from sineta.users u where u.id = x.user_id limit 1) u on true
        left join lateral (
          select role, permissions from sineta.members m
          where m.store_id = x.store_id and m.user_id = x.user_id
            and m.joined_at is not null and u.disabled_at is null limit 1) m on true
        left join lateral (
          select is_enabled, kinds_on, kinds_off, minimums, saved_at
          from sineta.push_preferences p
          where p.store_id = x.store_id and p.user_id = x.user_id limit 1) p on true
        left join lateral (
          select id, platform, transport, environment, app_id, token, locale, last_registered_at,
            session_id from sineta.devices d
          where d.id = x.device_id and d.user_id = x.user_id limit 1) d on true
        left join lateral (
          select ended_at, expires_at from sineta.sessions ss
          where ss.id = d.session_id and ss.user_id = x.user_id limit 1) ss on true
        left join lateral (
          select assignee_id from sineta.conversations c
          where a.subject_kind = 'conversation' and c.store_id = x.store_id
            and c.id = a.subject_id limit 1) c on true
        left join lateral (
          select role, permissions from sineta.members am
          where am.store_id = x.store_id and am.user_id = c.assignee_id
            and am.joined_at is not null limit 1) am on true
        """
}
