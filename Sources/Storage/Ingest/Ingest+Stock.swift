import Alerts
import Postgres
import Values

/// Stock: the newest count per variant and location, and one alert per calendar day of the store.
/// The row's own lock makes parallel crossings of the threshold raise one.
enum StockUpserts {
    struct Item {
        let event: IngestEvent
        let content: StockEvent

        var key: SubjectKey {
            SubjectKey(store: event.store, id: content.variantID + " " + content.locationID)
        }
    }

    static func query(_ items: [Item]) -> PostgresQuery {
        PostgresQuery(
            sql,
            .ids(items.lazy.map { $0.event.store }), .texts(items.map { $0.content.variantID }),
            .texts(items.map { $0.content.locationID }), .texts(items.map { $0.content.productID }),
            .texts(items.map { $0.content.productName }),
            .texts(items.map { $0.content.variantName.value }),
            .texts(items.map { $0.content.locationName.value }),
            .int64s(items.map { $0.content.quantity }),
            .timestamps(items.map { $0.event.occurredAt }), .ids(items.lazy.map { $0.event.id }),
            .bools(items.map { $0.event.mayRaise }))
    }

    static func reasons(
        _ items: [Item], _ rows: PostgresRows
    ) throws(PostgresError) -> [NoAlertReason?] {
        var kept: [SubjectKey: PostgresRow] = [:]
        for row in rows {
            kept[SubjectKey(store: try row.id(0), id: try row.text(1) + " " + row.text(2))] = row
        }
        var reasons: [NoAlertReason?] = []
        for item in items {
            guard let row = kept[item.key] else {
                // Not newer than what is known: the upsert's WHERE left the row alone.
                reasons.append(item.event.mayRaise ? .stale : .tooOld)
                continue
            }
            let holder: EventID? = try row.optionalID(3)
            if !item.event.mayRaise {
                reasons.append(.tooOld)
            } else if holder == item.event.id {
                reasons.append(nil)
            } else {
                reasons.append(try row.bool(4) ? .aboveThreshold : .alreadyToday)
            }
        }
        return reasons
    }

    static let sql: StaticSQL = """
        with u as (
          select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[],
            $6::text[], $7::text[], $8::bigint[], $9::timestamptz[], $10::uuid[], $11::boolean[])
            u (store_id, variant_id, location_id, product_id, product_name, variant_name,
               location_name, quantity, at, event, may_raise)),
        kept as (
          insert into sineta.stock as k (store_id, variant_id, location_id, product_id,
            product_name, variant_name, location_name, quantity, changed_at, raised_day, raised_by)
          select u.store_id, variant_id, location_id, product_id, product_name, variant_name,
            location_name, quantity, at,
            case when may_raise and quantity <= s.low_stock_threshold
              then (at at time zone s.time_zone)::date end,
            case when may_raise and quantity <= s.low_stock_threshold then event end
          from u join sineta.stores s on s.id = u.store_id
          order by u.store_id, variant_id, location_id
          on conflict (store_id, variant_id, location_id) do update set
            product_id = excluded.product_id,
            product_name = excluded.product_name,
            variant_name = coalesce(excluded.variant_name, k.variant_name),
            location_name = coalesce(excluded.location_name, k.location_name),
            quantity = excluded.quantity,
            changed_at = excluded.changed_at,
            raised_by = case when excluded.raised_day > coalesce(k.raised_day, '-infinity')
              then excluded.raised_by else k.raised_by end,
            raised_day = greatest(k.raised_day, excluded.raised_day)
          where excluded.changed_at > k.changed_at
          returning store_id, variant_id, location_id, raised_by, quantity)
        select kept.store_id, variant_id, location_id, raised_by,
          quantity > s.low_stock_threshold
        from kept join sineta.stores s on s.id = kept.store_id
        """
}
