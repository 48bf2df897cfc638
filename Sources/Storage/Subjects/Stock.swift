public import Postgres
public import Values

/// What is left of a variant, by location.
public struct StockLines: Sendable, Equatable {
    public let variantID: String
    public let productID: String
    public let productName: String
    /// Nil for a product without variants.
    public let variantName: String?
    /// In the order of their names.
    public let locations: [Location]

    /// What is left at one place.
    public struct Location: Sendable, Equatable {
        public let id: String
        /// Nil when it was never told.
        public let name: String?
        /// May be negative: sold beyond what is there.
        public let quantity: Int64
        /// When the change happened, by the platform's word.
        public let changedAt: Timestamp
    }
}

/// What is kept of a store's stock. Read only: `Ingest` writes it.
public enum Stock {
    /// Nil when nothing is known of the variant. Names are those of the location that changed last.
    public static func find(
        _ store: StoreID, variant: String, in transaction: PostgresTransaction
    ) throws(PostgresError) -> StockLines? {
        let rows = try transaction.query(
            """
            select product_id, product_name, variant_name, location_id, location_name, quantity,
              changed_at
            from sineta.stock where store_id = $1 and variant_id = $2
            order by location_name, location_id
            """, .id(store), .text(variant))
        var newest: PostgresRow?
        var newestAt = Timestamp(microseconds: .min)
        var locations: [StockLines.Location] = []
        for row in rows {
            let changedAt = try row.timestamp(6)
            if changedAt > newestAt {
                newest = row
                newestAt = changedAt
            }
            locations.append(
                StockLines.Location(
                    id: try row.text(3), name: try row.optionalText(4),
                    quantity: try row.int64(5), changedAt: changedAt))
        }
        return try newest.map { row throws(PostgresError) in
            StockLines(
                variantID: variant, productID: try row.text(0), productName: try row.text(1),
                variantName: try row.optionalText(2), locations: locations)
        }
    }
}
