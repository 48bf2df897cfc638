public import Alerts
public import Postgres
public import Values

/// One alert in somebody's inbox; its text is written at reading time, in the reader's language.
public struct InboxLine: Sendable {
    public let alert: Alert
    /// Nil: unread.
    public let readAt: Timestamp?
    public let store: StoreFacts
    /// The store's own words for the kind, by language.
    public let templates: [String: StoredWords]
}

/// The alerts for which the questions about a person were answered yes, whatever became of the
/// pushes. A store that the reader left is not among `stores`.
public enum Inbox {
    /// Newest first, over any number of stores. An alert of a kind that this release does not know
    /// is left out.
    ///
    /// - Parameter after: the last alert of the page before.
    public static func list(
        _ stores: [StoreID], of user: UserID, after: AlertID?, limit: Int,
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> [InboxLine] {
        let rows = try transaction.query(
            sql, .ids(stores), .id(user), .optionalID(after), .int(limit))
        var lines: [InboxLine] = []
        for row in rows {
            guard let alert = try AlertRow.alert(row, at: 0) else { continue }
            lines.append(
                InboxLine(
                    alert: alert, readAt: try row.optionalTimestamp(6),
                    store: StoreFacts(name: try row.text(7), locale: try row.text(8)),
                    templates: try PushMaterial.templates(row, at: 9)))
        }
        return lines
    }

    /// Each store's newest are walked by its key; the newest of all are then one page.
    private static let sql: StaticSQL = """
        select a.store_id, a.id, a.kind, a.occurred_at, a.subject, a.content,
          (select k.read_at from sineta.inbox_marks k
            where k.store_id = a.store_id and k.user_id = $2 and k.up_to >= a.id
            order by k.up_to limit 1),
          s.name, s.locale,
          (select jsonb_object_agg(t.language, jsonb_build_object('title', t.title, 'body', t.body))
            from sineta.templates t where t.store_id = a.store_id and t.kind = a.kind)
        from unnest($1::uuid[]) x (store_id)
        join lateral (
          select * from sineta.alerts a
          where a.store_id = x.store_id and ($3::uuid is null or a.id < $3)
            and ($2 = any (a.recipients) or (a.parts > 0 and exists (
              select from sineta.alert_parts p where p.store_id = a.store_id
                and p.alert_id = a.id and $2 = any (p.recipients))))
          order by a.id desc limit $4) a on true
        join sineta.stores s on s.id = a.store_id
        order by a.id desc limit $4
        """

    /// Whether an alert of these stores stands in somebody's inbox.
    public static func holds(
        _ alert: AlertID, of user: UserID, in stores: [StoreID],
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> Bool {
        try transaction.query(
            """
            select from sineta.alerts a
            where a.store_id = any ($1) and a.id = $3
              and ($2 = any (a.recipients) or (a.parts > 0 and exists (
                select from sineta.alert_parts p where p.store_id = a.store_id
                  and p.alert_id = a.id and $2 = any (p.recipients))))
            """, .ids(stores), .id(user), .id(alert)
        ).isEmpty == false
    }

    /// Marks an alert and all older ones as read, in these stores.
    public static func markRead(
        _ stores: [StoreID], of user: UserID, upTo alert: AlertID,
        in transaction: PostgresTransaction
    ) throws(PostgresError) {
        _ = try transaction.query(
            """
            insert into sineta.inbox_marks (store_id, user_id, up_to)
            select s, $2, $3 from unnest($1::uuid[]) s
            where not exists (select from sineta.inbox_marks k
              where k.store_id = s and k.user_id = $2 and k.up_to >= $3)
            order by s on conflict do nothing
            """, .ids(stores), .id(user), .id(alert))
    }
}

/// An alert as its columns stand: store, id, kind, time, subject, content.
enum AlertRow {
    static func alert(_ row: PostgresRow, at column: Int) throws(PostgresError) -> Alert? {
        guard let kind = AlertKind.named(try row.text(column + 2)) else { return nil }
        return Alert(
            id: try row.id(column + 1), store: try row.id(column), kind: kind,
            occurredAt: try row.timestamp(column + 3),
            subject: AlertSubject(json: try row.value(column + 4)),
            content: AlertContent(json: try row.value(column + 5)))
    }
}
