public import Values

/// Arrays of one dimension. The plain readers refuse a NULL inside; `…OrNull` gives it as nil.
extension PostgresRow {
    public func bools(_ column: Int) throws(PostgresError) -> [Bool] { try array(column) }
    public func int16s(_ column: Int) throws(PostgresError) -> [Int16] { try array(column) }
    public func int32s(_ column: Int) throws(PostgresError) -> [Int32] { try array(column) }
    public func int64s(_ column: Int) throws(PostgresError) -> [Int64] { try array(column) }
    public func doubles(_ column: Int) throws(PostgresError) -> [Double] { try array(column) }
    public func texts(_ column: Int) throws(PostgresError) -> [String] { try array(column) }
    public func uuids(_ column: Int) throws(PostgresError) -> [UUID] { try array(column) }
    public func ids<Subject>(_ column: Int) throws(PostgresError) -> [ID<Subject>] {
        try uuids(column).map { ID($0) }
    }
    public func timestamps(_ column: Int) throws(PostgresError) -> [Timestamp] {
        try array(column)
    }
    public func dates(_ column: Int) throws(PostgresError) -> [CivilDate] { try array(column) }
    public func bytesArray(_ column: Int) throws(PostgresError) -> [[UInt8]] { try array(column) }
    public func jsons(_ column: Int) throws(PostgresError) -> [[UInt8]] {
        try array(column, of: JSONCell.self).map(\.bytes)
    }

    public func boolsOrNull(_ column: Int) throws(PostgresError) -> [Bool?] {
        try items(column) ?? []
    }
    public func int16sOrNull(_ column: Int) throws(PostgresError) -> [Int16?] {
        try items(column) ?? []
    }
    public func int32sOrNull(_ column: Int) throws(PostgresError) -> [Int32?] {
        try items(column) ?? []
    }
    public func int64sOrNull(_ column: Int) throws(PostgresError) -> [Int64?] {
        try items(column) ?? []
    }
    public func doublesOrNull(_ column: Int) throws(PostgresError) -> [Double?] {
        try items(column) ?? []
    }
    public func textsOrNull(_ column: Int) throws(PostgresError) -> [String?] {
        try items(column) ?? []
    }
    public func uuidsOrNull(_ column: Int) throws(PostgresError) -> [UUID?] {
        try items(column) ?? []
    }
    public func timestampsOrNull(_ column: Int) throws(PostgresError) -> [Timestamp?] {
        try items(column) ?? []
    }
    public func datesOrNull(_ column: Int) throws(PostgresError) -> [CivilDate?] {
        try items(column) ?? []
    }
    public func bytesArrayOrNull(_ column: Int) throws(PostgresError) -> [[UInt8]?] {
        try items(column) ?? []
    }
    public func jsonsOrNull(_ column: Int) throws(PostgresError) -> [[UInt8]?] {
        try (items(column, of: JSONCell.self) ?? []).map { $0?.bytes }
    }

    /// Nil for an array that is NULL itself.
    public func optionalTexts(_ column: Int) throws(PostgresError) -> [String]? {
        try isNull(column) ? nil : texts(column)
    }
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
