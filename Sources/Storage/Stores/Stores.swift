public import Postgres
public import Values

/// A store as its members see it.
public struct StoreLine: Sendable, Equatable {
    public let id: StoreID
    public let name: String
    /// A name of the IANA database, `America/Sao_Paulo`.
    public let timeZone: String
    /// A language tag: what people and devices without one of their own read.
    public let locale: String
    /// Three letters of ISO 4217.
    public let currency: String
    /// At this many or fewer a variant's stock is low.
    public let lowStockThreshold: Int
}

extension StoreLine {
    /// A store that was just made, with what the schema gives it.
    public init(_ store: NewStore) {
        self.init(
            id: store.id, name: store.name, timeZone: store.timeZone, locale: store.locale,
            currency: store.currency, lowStockThreshold: 5)
    }
}

/// What `PATCH /v1/stores/{s}` changes; nil leaves a field.
public struct StoreChange: Sendable {
    public var name: String?
    public var timeZone: String?
    public var locale: String?
    public var currency: String?
    public var lowStockThreshold: Int?

    /// Changes nothing.
    public init() {}
}

/// The stores that a caller was let in for. How a store comes to be is `Provisioning`.
public enum Stores {
    /// Nil for a store that is not the caller's.
    public static func find(
        _ store: StoreID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> StoreLine? {
        try transaction.query(
            """
            select id, name, time_zone, locale, currency, low_stock_threshold
            from sineta.stores where id = $1
            """, .id(store)
        ).first.map(line)
    }

    /// The stores that the caller was let in for, by id.
    public static func list(
        _ stores: [StoreID], in transaction: PostgresTransaction
    ) throws(PostgresError) -> [StoreLine] {
        try transaction.query(
            """
            select id, name, time_zone, locale, currency, low_stock_threshold
            from sineta.stores where id = any ($1) order by id
            """, .ids(stores)
        ).map(line)
    }

    /// Nil when there is no such store. The time zone must have passed `isTimeZone`.
    public static func change(
        _ store: StoreID, _ change: StoreChange, in transaction: PostgresTransaction
    ) throws(PostgresError) -> StoreLine? {
        try transaction.query(
            """
            update sineta.stores set name = coalesce($2, name),
              time_zone = coalesce($3, time_zone), locale = coalesce($4, locale),
              currency = coalesce($5, currency),
              low_stock_threshold = coalesce($6, low_stock_threshold)
            where id = $1
            returning id, name, time_zone, locale, currency, low_stock_threshold
            """,
            .id(store), .optionalText(change.name), .optionalText(change.timeZone),
            .optionalText(change.locale), .optionalText(change.currency),
            .optionalInt32(change.lowStockThreshold.map { Int32(clamping: $0) })
        ).first.map(line)
    }

    /// Whether the database knows a time zone by this IANA name. It is the database that counts a
    /// store's days, so it is the one to ask; offsets and abbreviations are none.
    public static func isTimeZone(
        _ name: String, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Bool {
        try transaction.query(
            """
            select exists (select from pg_timezone_names where name = $1
              and (name like '%/%' or name = 'UTC') and name not like 'posix/%')
            """, .text(name)
        ).first?.bool(0) ?? false
    }

    private static func line(_ row: PostgresRow) throws(PostgresError) -> StoreLine {
        StoreLine(
            id: try row.id(0), name: try row.text(1), timeZone: try row.text(2),
            locale: try row.text(3), currency: try row.text(4),
            lowStockThreshold: try row.int(5))
    }
}
