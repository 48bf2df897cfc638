public import Values

/// Arrays of one dimension; others are refused, and an empty one gives no items. The plain readers
/// refuse a NULL, inside or in the place of the whole. `…OrNull` gives one inside as nil, and one
/// in the place of the whole as no items.
extension PostgresRow {
    /// Reads `boolean[]`.
    public func bools(_ column: Int) throws(PostgresError) -> [Bool] { try array(column) }
    /// Reads `smallint[]`.
    public func int16s(_ column: Int) throws(PostgresError) -> [Int16] { try array(column) }
    /// Reads `integer[]` or `smallint[]`.
    public func int32s(_ column: Int) throws(PostgresError) -> [Int32] { try array(column) }
    /// Reads `bigint[]`, or an array of a narrower whole number.
    public func int64s(_ column: Int) throws(PostgresError) -> [Int64] { try array(column) }
    /// Reads `double precision[]` or `real[]`.
    public func doubles(_ column: Int) throws(PostgresError) -> [Double] { try array(column) }
    /// Reads `text[]`, or an array of another type that `text` reads.
    public func texts(_ column: Int) throws(PostgresError) -> [String] { try array(column) }
    /// Reads `uuid[]`.
    public func uuids(_ column: Int) throws(PostgresError) -> [UUID] { try array(column) }
    /// Reads `uuid[]`; that the ids are of the subject is the caller's word.
    public func ids<Subject>(_ column: Int) throws(PostgresError) -> [ID<Subject>] {
        try uuids(column).map { ID($0) }
    }
    /// Reads `timestamptz[]`; an infinite one is refused.
    public func timestamps(_ column: Int) throws(PostgresError) -> [Timestamp] {
        try array(column)
    }
    /// Reads `date[]`; an infinite one is refused.
    public func dates(_ column: Int) throws(PostgresError) -> [CivilDate] { try array(column) }
    /// Reads `bytea[]`.
    public func bytesArray(_ column: Int) throws(PostgresError) -> [[UInt8]] { try array(column) }
    /// Reads `jsonb[]` or `json[]`, each as its UTF-8 text.
    public func jsons(_ column: Int) throws(PostgresError) -> [[UInt8]] {
        try array(column, of: JSONCell.self).map(\.bytes)
    }

    /// As `bools`, with nil for a NULL inside.
    public func boolsOrNull(_ column: Int) throws(PostgresError) -> [Bool?] {
        try items(column) ?? []
    }
    /// As `int16s`, with nil for a NULL inside.
    public func int16sOrNull(_ column: Int) throws(PostgresError) -> [Int16?] {
        try items(column) ?? []
    }
    /// As `int32s`, with nil for a NULL inside.
    public func int32sOrNull(_ column: Int) throws(PostgresError) -> [Int32?] {
        try items(column) ?? []
    }
    /// As `int64s`, with nil for a NULL inside.
    public func int64sOrNull(_ column: Int) throws(PostgresError) -> [Int64?] {
        try items(column) ?? []
    }
    /// As `doubles`, with nil for a NULL inside.
    public func doublesOrNull(_ column: Int) throws(PostgresError) -> [Double?] {
        try items(column) ?? []
    }
    /// As `texts`, with nil for a NULL inside.
    public func textsOrNull(_ column: Int) throws(PostgresError) -> [String?] {
        try items(column) ?? []
    }
    /// As `uuids`, with nil for a NULL inside.
    public func uuidsOrNull(_ column: Int) throws(PostgresError) -> [UUID?] {
        try items(column) ?? []
    }
    /// As `timestamps`, with nil for a NULL inside.
    public func timestampsOrNull(_ column: Int) throws(PostgresError) -> [Timestamp?] {
        try items(column) ?? []
    }
    /// As `dates`, with nil for a NULL inside.
    public func datesOrNull(_ column: Int) throws(PostgresError) -> [CivilDate?] {
        try items(column) ?? []
    }
    /// As `bytesArray`, with nil for a NULL inside.
    public func bytesArrayOrNull(_ column: Int) throws(PostgresError) -> [[UInt8]?] {
        try items(column) ?? []
    }
    /// As `jsons`, with nil for a NULL inside.
    public func jsonsOrNull(_ column: Int) throws(PostgresError) -> [[UInt8]?] {
        try (items(column, of: JSONCell.self) ?? []).map { $0?.bytes }
    }

    /// As `texts`; nil for an array that is NULL itself.
    public func optionalTexts(_ column: Int) throws(PostgresError) -> [String]? {
        try isNull(column) ? nil : texts(column)
    }
    /// As `uuids`; nil for an array that is NULL itself.
    public func optionalUUIDs(_ column: Int) throws(PostgresError) -> [UUID]? {
        try isNull(column) ? nil : uuids(column)
    }

    private func array<Item: CellReadable>(
        _ column: Int, of type: Item.Type = Item.self
    ) throws(PostgresError) -> [Item] {
        guard let items = try items(column, of: type) else {
            throw .decoding("column \(name(column)) is NULL")
        }
        var values: [Item] = []
        values.reserveCapacity(items.count)
        for item in items {
            guard let item else { throw .decoding("column \(name(column)) holds a NULL") }
            values.append(item)
        }
        return values
    }

    private func items<Item: CellReadable>(
        _ column: Int, of type: Item.Type = Item.self
    ) throws(PostgresError) -> [Item?]? {
        guard let cell = try cell(column) else { return nil }
        guard let items = cell.items(of: type) else {
            throw .decoding("column \(name(column)) is no array of \(Item.name)")
        }
        return items
    }
}
