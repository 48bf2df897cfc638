public import Postgres
public import Values

/// An order as the platform knows it.
public struct OrderLine: Sendable, Equatable {
    /// The platform's.
    public let id: String
    /// `created`, `paid` or `cancelled`.
    public let status: String
    /// As people know it, `1042`.
    public let number: String
    /// Decimal text with the digits that it came with.
    public let amount: String
    /// Three letters of ISO 4217.
    public let currency: String
    /// As it was last told; nil when never.
    public let customerName: String?
    /// Where it was made; nil when never told.
    public let channel: String?
    /// When the event of this name happened; nil when it never came, as for the next two.
    public let createdAt: Timestamp?
    public let paidAt: Timestamp?
    public let cancelledAt: Timestamp?
}

/// What is kept of a store's orders. Read only: `Ingest` writes them.
public enum Orders {
    /// Nil when the store has none of this id.
    public static func find(
        _ store: StoreID, _ order: String, in transaction: PostgresTransaction
    ) throws(PostgresError) -> OrderLine? {
        try transaction.query(
            """
            select id, status, number, amount::text, currency, customer_name, channel, created_at,
              paid_at, cancelled_at
            from sineta.orders where store_id = $1 and id = $2
            """, .id(store), .text(order)
        ).first.map { row throws(PostgresError) in
            OrderLine(
                id: try row.text(0), status: try row.text(1), number: try row.text(2),
                amount: try row.text(3), currency: try row.text(4),
                customerName: try row.optionalText(5), channel: try row.optionalText(6),
                createdAt: try row.optionalTimestamp(7), paidAt: try row.optionalTimestamp(8),
                cancelledAt: try row.optionalTimestamp(9))
        }
    }
}
