import Alerts
import Postgres
import Values

/// Conversations: who has them, whether the bot answers, what is unread. Messages are rows, so that
/// one that comes twice or late is counted once, and one that was read before it came is not.
enum ConversationUpserts {
    struct Item {
        let event: IngestEvent
        let content: ConversationEvent

        var key: SubjectKey { SubjectKey(store: event.store, id: content.conversationID) }

        var type: EventType { event.event.type }

        var isStartOrMessage: Bool {
            type == .conversationsStarted || type == .conversationsMessageReceived
        }

        /// The start, and not a message, is what raises.
        var marksStart: Bool {
            event.mayRaise && type == .conversationsStarted && content.message == nil
        }

        var marksMessage: Bool { event.mayRaise }

        /// A conversation that is handed over has left the bot.
        var bot: Change<Bool> {
            type == .conversationsHandedOver ? .value(false) : content.botEnabled
        }

        var status: String? {
            switch type {
            case .conversationsClosed: "closed"
            case .conversationsReopened: "open"
            default: content.status.value
            }
        }

        /// Never later than the receipt: nobody has read what is still to come.
        var readAt: Timestamp? {
            guard type == .conversationsRead else { return nil }
            return content.readAt.map { min($0, event.receivedAt) } ?? event.occurredAt
        }
    }

    /// The upsert, then the count of what is unread where that may have moved.
    static func queries(_ items: [Item]) -> [PostgresQuery] {
        let counted = items.filter { $0.content.message != nil || $0.readAt != nil }
        let upsert = PostgresQuery(
            sql,
            .ids(items.lazy.map { $0.event.store }),
            .texts(items.map { $0.content.conversationID }),
            .ids(items.lazy.map { $0.event.id }), .timestamps(items.map { $0.event.occurredAt }),
            .bools(items.map { !$0.content.customerName.isUnchanged }),
            .texts(items.map { $0.content.customerName.value }),
            .bools(items.map { !$0.content.customerID.isUnchanged }),
            .texts(items.map { $0.content.customerID.value }),
            .bools(items.map { !$0.content.assigneeID.isUnchanged }),
            .uuids(items.map { $0.content.assigneeID.value.flatMap { UUID($0) } }),
            .bools(items.map { !$0.bot.isUnchanged }), .bools(items.map { $0.bot.value }),
            .texts(items.map { $0.status }), .timestamps(items.map { $0.readAt }),
            .texts(items.map { $0.content.message?.id }),
            .texts(items.map { $0.content.message?.kind.rawValue }),
            .texts(items.map { $0.content.message?.text }), .bools(items.map { $0.marksStart }),
            .bools(items.map { $0.marksMessage }),
            .bools(items.map { $0.type == .conversationsHandedOver }))
        guard !counted.isEmpty else { return [upsert] }
        return [
            upsert,
            PostgresQuery(
                recountSQL, .ids(counted.lazy.map { $0.event.store }),
                .texts(counted.map { $0.content.conversationID })),
        ]
    }

    static func reasons(
        _ items: [Item], _ rows: PostgresRows
    ) throws(PostgresError) -> [NoAlertReason?] {
        var kept: [SubjectKey: PostgresRow] = [:]
        for row in rows {
            kept[SubjectKey(store: try row.id(0), id: try row.text(1))] = row
        }
        var reasons: [NoAlertReason?] = []
        for item in items {
            guard let row = kept[item.key] else {
                throw .decoding("a conversation did not come back")
            }
            reasons.append(try reason(item, row))
        }
        return reasons
    }

    private static func reason(
        _ item: Item, _ row: PostgresRow
    ) throws(PostgresError) -> NoAlertReason? {
        if let reason = item.event.knownReason { return reason }
        guard item.isStartOrMessage else { return nil }
        let saysBotOn = item.content.message == nil && item.bot.value == true
        let botIsOn = try row.bool(2)
        if saysBotOn || botIsOn { return .botOn }
        let holder: EventID? = try row.optionalID(item.content.message == nil ? 3 : 4)
        return holder == item.event.id ? nil : .alreadyRaised
    }

    static let sql: StaticSQL = """
        with u as (
          select * from unnest($1::uuid[], $2::text[], $3::uuid[], $4::timestamptz[],
            $5::boolean[], $6::text[], $7::boolean[], $8::text[], $9::boolean[], $10::uuid[],
            $11::boolean[], $12::boolean[], $13::text[], $14::timestamptz[], $15::text[],
            $16::text[], $17::text[], $18::boolean[], $19::boolean[], $20::boolean[])
            u (store_id, id, event, at, has_name, name, has_customer, customer_id, has_assignee,
               assignee,
               has_bot, bot, status, read_at, message_id, message_kind, message_text, marks_start,
               marks_message, always)),
        c as (
          insert into sineta.conversations as c (store_id, id, customer_name, customer_name_at,
            customer_id, customer_id_at, assignee_id, assignee_at, bot_enabled, bot_at,
            said_status, said_at, read_at, last_message_id, last_message_kind, last_message_text,
            last_message_at, started_by)
          select store_id, id, name, case when has_name then at end,
            customer_id, case when has_customer then at end,
            assignee, case when has_assignee then at end,
            coalesce(bot, false), case when has_bot then at end,
            coalesce(status, 'open'), case when status is not null then at end,
            read_at, message_id, message_kind, message_text,
            case when message_id is not null then at end,
            case when marks_start and not coalesce(bot, false) then event end
          from u order by store_id, id
          on conflict (store_id, id) do update set
            customer_name = case
              when excluded.customer_name_at >= coalesce(c.customer_name_at, '-infinity')
              then excluded.customer_name else c.customer_name end,
            customer_name_at = greatest(c.customer_name_at, excluded.customer_name_at),
            customer_id = case
              when excluded.customer_id_at >= coalesce(c.customer_id_at, '-infinity')
              then excluded.customer_id else c.customer_id end,
            customer_id_at = greatest(c.customer_id_at, excluded.customer_id_at),
            assignee_id = case when excluded.assignee_at >= coalesce(c.assignee_at, '-infinity')
              then excluded.assignee_id else c.assignee_id end,
            assignee_at = greatest(c.assignee_at, excluded.assignee_at),
            bot_enabled = case when excluded.bot_at >= coalesce(c.bot_at, '-infinity')
              then excluded.bot_enabled else c.bot_enabled end,
            bot_at = greatest(c.bot_at, excluded.bot_at),
            said_status = case when excluded.said_at >= coalesce(c.said_at, '-infinity')
              then excluded.said_status else c.said_status end,
            said_at = greatest(c.said_at, excluded.said_at),
            read_at = greatest(c.read_at, excluded.read_at),
            last_message_id = case
              when excluded.last_message_at >= coalesce(c.last_message_at, '-infinity')
              then excluded.last_message_id else c.last_message_id end,
            last_message_kind = case
              when excluded.last_message_at >= coalesce(c.last_message_at, '-infinity')
              then excluded.last_message_kind else c.last_message_kind end,
            last_message_text = case
              when excluded.last_message_at >= coalesce(c.last_message_at, '-infinity')
              then excluded.last_message_text else c.last_message_text end,
            last_message_at = greatest(c.last_message_at, excluded.last_message_at),
            -- started_by came with the event's own bot flag; what is known here may be newer.
            started_by = coalesce(c.started_by, case when not (
                case when excluded.bot_at >= coalesce(c.bot_at, '-infinity')
                  then excluded.bot_enabled else c.bot_enabled end)
              then excluded.started_by end)
          returning store_id, id, bot_enabled, started_by),
        m as (
          insert into sineta.messages as m (store_id, conversation_id, id, at, raised_by)
          select u.store_id, u.id, u.message_id, u.at,
            case when u.marks_message and (u.always or not c.bot_enabled) then u.event end
          from u join c on c.store_id = u.store_id and c.id = u.id
          where u.message_id is not null
          order by u.store_id, u.id, u.message_id
          on conflict (store_id, conversation_id, id) do update set
            at = least(m.at, excluded.at),
            raised_by = coalesce(m.raised_by, excluded.raised_by)
          returning store_id, conversation_id, raised_by)
        select c.store_id, c.id, c.bot_enabled, c.started_by, m.raised_by
        from c left join m on m.store_id = c.store_id and m.conversation_id = c.id
        """

    static let recountSQL: StaticSQL = """
        update sineta.conversations c set unread = x.unread
        from (
          select k.store_id, k.id, (
              select count(*) from sineta.messages m
              where m.store_id = k.store_id and m.conversation_id = k.id
                and m.at > coalesce(k.read_at, '-infinity'))::integer as unread
          from unnest($1::uuid[], $2::text[]) u (store_id, id)
          join sineta.conversations k on k.store_id = u.store_id and k.id = u.id) x
        where c.store_id = x.store_id and c.id = x.id and c.unread <> x.unread
        """
}
