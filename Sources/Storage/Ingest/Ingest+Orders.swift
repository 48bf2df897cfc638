import Alerts
import Postgres
import Values

/// Orders: the newest event wins, each field for itself, and each once-per-order mark belongs for
/// ever to the event that came first.
enum OrderUpserts {
    struct Item {
        let event: IngestEvent
        let content: OrderEvent

        var key: SubjectKey { SubjectKey(store: event.store, id: content.orderID) }

        /// Which mark it takes, and so what the order's status becomes.
        var status: String {
            switch event.event.type {
            case .ordersPaid: "paid"
            case .ordersCancelled: "cancelled"
            default: "created"
            }
        }
    }

    static func query(_ items: [Item]) -> PostgresQuery {
        PostgresQuery(
            sql,
            .ids(items.lazy.map { $0.event.store }), .texts(items.map { $0.content.orderID }),
            .ids(items.lazy.map { $0.event.id }), .timestamps(items.map { $0.event.occurredAt }),
            .texts(items.map { $0.status }), .texts(items.map { $0.content.number }),
            .texts(items.map { $0.content.total.amount.text }),
            .texts(items.map { $0.content.total.currency }),
            .bools(items.map { !$0.content.customerName.isUnchanged }),
            .texts(items.map { $0.content.customerName.value }),
            .bools(items.map { !$0.content.customerID.isUnchanged }),
            .texts(items.map { $0.content.customerID.value }),
            .bools(items.map { !$0.content.channel.isUnchanged }),
            .texts(items.map { $0.content.channel.value }))
    }

    /// The reason per event, or nil where the mark is this event's own.
    static func reasons(
        _ items: [Item], _ rows: PostgresRows
    ) throws(PostgresError) -> [NoAlertReason?] {
        var marks: [SubjectKey: PostgresRow] = [:]
        for row in rows {
            marks[SubjectKey(store: try row.id(0), id: try row.text(1))] = row
        }
        var reasons: [NoAlertReason?] = []
        for item in items {
            guard let row = marks[item.key] else {
                throw .decoding("an order did not come back")
            }
            let column =
                switch item.status {
                case "paid": 3
                case "cancelled": 4
                default: 2
                }
            let holder: EventID? = try row.optionalID(column)
            reasons.append(
                item.event.knownReason ?? (holder == item.event.id ? nil : .alreadyRaised))
        }
        return reasons
    }

    static let sql: StaticSQL = """
        with u as (
          select * from unnest($1::uuid[], $2::text[], $3::uuid[], $4::timestamptz[], $5::text[],
            $6::text[], $7::text[], $8::text[], $9::boolean[], $10::text[],
            $11::boolean[], $12::text[], $13::boolean[], $14::text[])
            u (store_id, id, event, at, status, number, amount, currency, has_name, name,
               has_customer, customer_id, has_channel, channel))
        insert into sineta.orders as o (store_id, id, number, amount, currency, details_at,
          customer_name, customer_name_at, customer_id, customer_id_at, channel, channel_at,
          status, status_at, created_at, paid_at, cancelled_at, created_by, paid_by, cancelled_by)
        select store_id, id, number, amount::numeric, currency, at,
          name, case when has_name then at end,
          customer_id, case when has_customer then at end,
          channel, case when has_channel then at end,
          status, at,
          case when status = 'created' then at end, case when status = 'paid' then at end,
          case when status = 'cancelled' then at end,
          case when status = 'created' then event end, case when status = 'paid' then event end,
          case when status = 'cancelled' then event end
        from u order by store_id, id
        on conflict (store_id, id) do update set
          number = case when excluded.details_at >= o.details_at
            then excluded.number else o.number end,
          amount = case when excluded.details_at >= o.details_at
            then excluded.amount else o.amount end,
          currency = case when excluded.details_at >= o.details_at
            then excluded.currency else o.currency end,
          details_at = greatest(o.details_at, excluded.details_at),
          customer_name = case
            when excluded.customer_name_at >= coalesce(o.customer_name_at, '-infinity')
            then excluded.customer_name else o.customer_name end,
          customer_name_at = greatest(o.customer_name_at, excluded.customer_name_at),
          customer_id = case
            when excluded.customer_id_at >= coalesce(o.customer_id_at, '-infinity')
            then excluded.customer_id else o.customer_id end,
          customer_id_at = greatest(o.customer_id_at, excluded.customer_id_at),
          channel = case when excluded.channel_at >= coalesce(o.channel_at, '-infinity')
            then excluded.channel else o.channel end,
          channel_at = greatest(o.channel_at, excluded.channel_at),
          -- At the same moment the later step of an order's life wins.
          status = case when (excluded.status_at,
                array_position(array['created', 'paid', 'cancelled'], excluded.status))
              >= (o.status_at, array_position(array['created', 'paid', 'cancelled'], o.status))
            then excluded.status else o.status end,
          status_at = greatest(o.status_at, excluded.status_at),
          created_at = least(o.created_at, excluded.created_at),
          paid_at = least(o.paid_at, excluded.paid_at),
          cancelled_at = least(o.cancelled_at, excluded.cancelled_at),
          created_by = coalesce(o.created_by, excluded.created_by),
          paid_by = coalesce(o.paid_by, excluded.paid_by),
          cancelled_by = coalesce(o.cancelled_by, excluded.cancelled_by)
        returning store_id, id, created_by, paid_by, cancelled_by
        """
}
