import Values

/// Writes values in PostgreSQL's binary format (the `…send` functions of each type,
/// https://www.postgresql.org/docs/15/protocol-overview.html#PROTOCOL-FORMAT-CODES).
extension [UInt8] {
    mutating func appendBigEndian<Integer: FixedWidthInteger>(_ value: Integer) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends the value without its length. A numeric is text, since libpq lets each parameter
    /// choose; everything else is binary.
    mutating func appendPostgres(_ value: PostgresValue) {
        switch value {
        case .null, .nullOf: break
        case .bool(let value): append(value ? 1 : 0)
        case .int16(let value): appendBigEndian(value)
        case .int32(let value): appendBigEndian(value)
        case .int64(let value): appendBigEndian(value)
        case .double(let value): appendBigEndian(value.bitPattern)
        case .text(let value): append(contentsOf: value.utf8)
        case .uuid(let value): appendUUID(value)
        case .timestamp(let value): appendTimestamp(value)
        case .date(let value): appendDate(value)
        case .interval(let value):
            appendBigEndian(value.microseconds)
            appendBigEndian(Int64(0))
        case .numeric(let value): append(contentsOf: value.utf8)
        case .bytes(let value): append(contentsOf: value)
        case .json(let value): appendJSON(value)
        default: appendPostgresArray(value)
        }
    }

    private mutating func appendPostgresArray(_ value: PostgresValue) {
        switch value {
        case .bools(let items): appendArray(items, of: .bool) { $0.append($1 ? 1 : 0) }
        case .int16s(let items): appendArray(items, of: .int16) { $0.appendBigEndian($1) }
        case .int32s(let items): appendArray(items, of: .int32) { $0.appendBigEndian($1) }
        case .int64s(let items): appendArray(items, of: .int64) { $0.appendBigEndian($1) }
        case .doubles(let items):
            appendArray(items, of: .double) { $0.appendBigEndian($1.bitPattern) }
        case .texts(let items): appendArray(items, of: .text) { $0.append(contentsOf: $1.utf8) }
        case .uuids(let items): appendArray(items, of: .uuid) { $0.appendUUID($1) }
        case .timestamps(let items):
            appendArray(items, of: .timestamp) { $0.appendTimestamp($1) }
        case .dates(let items): appendArray(items, of: .date) { $0.appendDate($1) }
        case .bytesArray(let items): appendArray(items, of: .bytes) { $0.append(contentsOf: $1) }
        case .jsons(let items): appendArray(items, of: .json) { $0.appendJSON($1) }
        default: break
        }
    }

    /// One dimension from 1: dimensions, has-nulls, element type, length, lower bound, then each
    /// item behind its length, -1 for NULL (`array_send`).
    private mutating func appendArray<Item>(
        _ items: [Item?], of type: PostgresType, _ write: (inout [UInt8], Item) -> Void
    ) {
        appendBigEndian(Int32(items.isEmpty ? 0 : 1))
        appendBigEndian(Int32(items.contains { $0 == nil } ? 1 : 0))
        appendBigEndian(type.oid)
        if items.isEmpty { return }
        appendBigEndian(Int32(items.count))
        appendBigEndian(Int32(1))
        for item in items {
            guard let item else {
                appendBigEndian(Int32(-1))
                continue
            }
            let start = count
            appendBigEndian(Int32(0))
            write(&self, item)
            setLength(at: start)
        }
    }

    /// Fills in the four bytes at `start` with the number of bytes behind them.
    mutating func setLength(at start: Int) {
        let length = UInt32(count - start - 4)
        self[start] = UInt8(truncatingIfNeeded: length >> 24)
        self[start + 1] = UInt8(truncatingIfNeeded: length >> 16)
        self[start + 2] = UInt8(truncatingIfNeeded: length >> 8)
        self[start + 3] = UInt8(truncatingIfNeeded: length)
    }

    private mutating func appendUUID(_ value: UUID) {
        appendBigEndian(value.high)
        appendBigEndian(value.low)
    }

    private mutating func appendTimestamp(_ value: Timestamp) {
        let (shifted, overflow) = value.microseconds.subtractingReportingOverflow(
            Epoch.microseconds)
        // Before the year 290,000 BC: PostgreSQL's own word for it is -infinity.
        appendBigEndian(overflow ? Int64.min : shifted)
    }

    private mutating func appendDate(_ value: CivilDate) {
        appendBigEndian(Int32(clamping: value.daysSinceEpoch - Epoch.days))
    }

    /// jsonb travels as its text behind a version, 1.
    private mutating func appendJSON(_ value: [UInt8]) {
        append(1)
        append(contentsOf: value)
    }
}
