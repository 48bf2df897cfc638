import Postgres

extension PushMaterial {
    /// Lookups by primary key for each push. Waiting conversations are counted once per store and
    /// assignee; an assignee who has left, or may not read them any more, counts as nobody.
    static let sql: StaticSQL = """
        with x as materialized (
          select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[])
            x (push, store_id, alert_id, device_id, user_id)),
        waiting as materialized (
          select c.store_id, c.assignee_id, count(*) as n
          from (select distinct store_id from x) s
          join sineta.conversations c on c.store_id = s.store_id and c.is_waiting
          group by c.store_id, c.assignee_id),
        nobodys as materialized (
          select w.store_id, sum(w.n) as n from waiting w
          left join sineta.members m on m.store_id = w.store_id and m.user_id = w.assignee_id
            and m.joined_at is not null
            and sineta.may(m.role, m.permissions, 'conversations.read')
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
            from sineta.subject_settings t
            where t.store_id = x.store_id and t.user_id = x.user_id and t.muted_until > now()
              and exists (select from jsonb_each_text(a.subject) e where e.value = t.subject_id))
        from x
        join sineta.alerts a on a.store_id = x.store_id and a.id = x.alert_id
        join sineta.stores s on s.id = x.store_id
        left join sineta.push_policies pp on pp.store_id = x.store_id
        left join sineta.users u on u.id = x.user_id
        left join sineta.members m on m.store_id = x.store_id and m.user_id = x.user_id
          and m.joined_at is not null and u.disabled_at is null
        left join sineta.push_preferences p on p.store_id = x.store_id and p.user_id = x.user_id
        left join sineta.devices d on d.id = x.device_id and d.user_id = x.user_id
        left join sineta.sessions ss on ss.id = d.session_id
        left join sineta.conversations c on a.subject_kind = 'conversation'
          and c.store_id = x.store_id and c.id = a.subject_id
        left join sineta.members am on am.store_id = x.store_id and am.user_id = c.assignee_id
          and am.joined_at is not null
        """
}
