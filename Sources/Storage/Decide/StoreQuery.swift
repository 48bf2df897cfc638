import Alerts
import Postgres
import Values

/// A store as deciding needs it, with the database's time.
struct StoreRow {
    let facts: StoreFacts
    let policy: PushPolicy
    let now: Timestamp
}

enum StoreQuery {
    static func query(_ stores: [StoreID]) -> PostgresQuery {
        PostgresQuery(
            """
            select s.id, s.name, s.locale, p.defaults,
              array(select r.kind from sineta.required_kinds r where r.store_id = s.id), now()
            from sineta.stores s left join sineta.push_policies p on p.store_id = s.id
            where s.id = any ($1)
            """, .ids(Set(stores)))
    }

    static func read(_ rows: PostgresRows) throws(PostgresError) -> [StoreID: StoreRow] {
        var stores: [StoreID: StoreRow] = [:]
        for row in rows {
            stores[try row.id(0)] = StoreRow(
                facts: StoreFacts(name: try row.text(1), locale: try row.text(2)),
                policy: PushPolicy(
                    defaults: try row.optionalTexts(3).map { Set($0) },
                    required: Set(try row.texts(4))),
                now: try row.timestamp(5))
        }
        return stores
    }
}
