import CPostgres
public import Values

/// One row. Columns are read by position, from 0; each reader throws `PostgresError.decoding` for
/// a column that is not there, has another type, or is NULL where `optional…` was not asked for.
/// A narrower number is read into a wider one, and nothing else is converted.
public struct PostgresRow: Sendable {
    let handle: ResultHandle
    let index: Int32

    /// Whether the column holds NULL.
    public func isNull(_ column: Int) throws(PostgresError) -> Bool {
        try cell(column) == nil
    }

    /// A `boolean`.
    public func bool(_ column: Int) throws(PostgresError) -> Bool { try value(column) }
    /// A `smallint`.
    public func int16(_ column: Int) throws(PostgresError) -> Int16 { try value(column) }
    /// An `integer` or `smallint`.
    public func int32(_ column: Int) throws(PostgresError) -> Int32 { try value(column) }
    /// A `bigint`, `integer` or `smallint`.
    public func int64(_ column: Int) throws(PostgresError) -> Int64 { try value(column) }
    /// A `smallint`, `integer` or `bigint`.
    public func int(_ column: Int) throws(PostgresError) -> Int { Int(try int64(column)) }
    /// A `double precision` or `real`.
    public func double(_ column: Int) throws(PostgresError) -> Double { try value(column) }
    /// Any type whose binary form is its text: text, varchar, name, citext, enums, json.
    public func text(_ column: Int) throws(PostgresError) -> String { try value(column) }
    /// A `uuid`, of any version.
    public func uuid(_ column: Int) throws(PostgresError) -> UUID { try value(column) }
    /// A `uuid`; that it is the id of such a subject is the caller's word.
    public func id<Subject>(_ column: Int) throws(PostgresError) -> ID<Subject> {
        ID(try uuid(column))
    }
    /// A `timestamptz`, to the microsecond; `infinity` and `-infinity` are refused.
    public func timestamp(_ column: Int) throws(PostgresError) -> Timestamp { try value(column) }
    /// A `date`; `infinity` and `-infinity` are refused.
    public func date(_ column: Int) throws(PostgresError) -> CivilDate { try value(column) }
    /// An `interval` without months; a day counts 24 hours.
    public func interval(_ column: Int) throws(PostgresError) -> Duration { try value(column) }
    /// A `bytea`.
    public func bytes(_ column: Int) throws(PostgresError) -> [UInt8] { try value(column) }
    /// The UTF-8 text of a `jsonb` or `json`.
    public func json(_ column: Int) throws(PostgresError) -> [UInt8] {
        try value(column, JSONCell.self).bytes
    }
    /// A `numeric` as decimal text with the digits after the point that its type has.
    public func numericText(_ column: Int) throws(PostgresError) -> String {
        try value(column, NumericCell.self).text
    }

    /// As `bool`; nil for NULL.
    public func optionalBool(_ column: Int) throws(PostgresError) -> Bool? { try optional(column) }
    /// As `int16`; nil for NULL.
    public func optionalInt16(_ column: Int) throws(PostgresError) -> Int16? {
        try optional(column)
    }
    /// As `int32`; nil for NULL.
    public func optionalInt32(_ column: Int) throws(PostgresError) -> Int32? {
        try optional(column)
    }
    /// As `int64`; nil for NULL.
    public func optionalInt64(_ column: Int) throws(PostgresError) -> Int64? {
        try optional(column)
    }
    /// As `int`; nil for NULL.
    public func optionalInt(_ column: Int) throws(PostgresError) -> Int? {
        try optionalInt64(column).map { Int($0) }
    }
    /// As `double`; nil for NULL.
    public func optionalDouble(_ column: Int) throws(PostgresError) -> Double? {
        try optional(column)
    }
    /// As `text`; nil for NULL.
    public func optionalText(_ column: Int) throws(PostgresError) -> String? {
        try optional(column)
    }
    /// As `uuid`; nil for NULL.
    public func optionalUUID(_ column: Int) throws(PostgresError) -> UUID? { try optional(column) }
    /// As `id`; nil for NULL.
    public func optionalID<Subject>(_ column: Int) throws(PostgresError) -> ID<Subject>? {
        try optionalUUID(column).map { ID($0) }
    }
    /// As `timestamp`; nil for NULL.
    public func optionalTimestamp(_ column: Int) throws(PostgresError) -> Timestamp? {
        try optional(column)
    }
    /// As `date`; nil for NULL.
    public func optionalDate(_ column: Int) throws(PostgresError) -> CivilDate? {
        try optional(column)
    }
    /// As `interval`; nil for NULL.
    public func optionalInterval(_ column: Int) throws(PostgresError) -> Duration? {
        try optional(column)
    }
    /// As `bytes`; nil for NULL.
    public func optionalBytes(_ column: Int) throws(PostgresError) -> [UInt8]? {
        try optional(column)
    }
    /// As `json`; nil for NULL.
    public func optionalJSON(_ column: Int) throws(PostgresError) -> [UInt8]? {
        try optional(column, JSONCell.self)?.bytes
    }
    /// As `numericText`; nil for NULL.
    public func optionalNumericText(_ column: Int) throws(PostgresError) -> String? {
        try optional(column, NumericCell.self)?.text
    }
}

extension PostgresRow {
    func value<Value: CellReadable>(
        _ column: Int, _ type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        guard let value = try optional(column, type) else {
            throw .decoding("column \(name(column)) is NULL")
        }
        return value
    }

    func optional<Value: CellReadable>(
        _ column: Int, _ type: Value.Type = Value.self
    ) throws(PostgresError) -> Value? {
        guard let cell = try cell(column) else { return nil }
        guard let value = Value(cell) else {
            throw .decoding("column \(name(column)) of type \(cell.type) is no \(Value.name)")
        }
        return value
    }

    /// The column's bytes, or nil for NULL.
    func cell(_ column: Int) throws(PostgresError) -> Cell? {
        guard column >= 0, column < PQnfields(handle.pointer) else {
            throw .decoding("there is no column \(column)")
        }
        let column = Int32(column)
        if PQgetisnull(handle.pointer, index, column) == 1 { return nil }
        let length = Int(PQgetlength(handle.pointer, index, column))
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(handle.pointer, index, column), count: length)
        return Cell(type: PQftype(handle.pointer, column), bytes: bytes)
    }

    func name(_ column: Int) -> String {
        let name = PQfname(handle.pointer, Int32(column)).map { String(cString: $0) }
        return "\(column) (\(name ?? ""))"
    }
}
