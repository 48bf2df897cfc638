public import Values

/// A value that travels to the server beside the statement, in binary and with its type named.
///
/// The type must be the one that the statement means: an `integer` column takes an `int32`, a
/// `bigint` an `int64`; a `text` goes into an enum through `$1::text::name`.
public enum PostgresValue: Sendable, Hashable {
    /// NULL of whatever type the statement wants there.
    case null
    /// NULL of a named type. The `optional…` makers use it, so that a statement is prepared once
    /// and not once more for the call without a value.
    case nullOf(PostgresType)
    case bool(Bool)
    /// `smallint`.
    case int16(Int16)
    /// `integer`.
    case int32(Int32)
    /// `bigint`.
    case int64(Int64)
    /// `double precision`; NaN and the infinities travel as they are.
    case double(Double)
    /// `text`. PostgreSQL has no U+0000 in texts and refuses one that holds it.
    case text(String)
    case uuid(UUID)
    /// `timestamptz`.
    case timestamp(Timestamp)
    /// `date`; one beyond what it holds becomes `infinity` or `-infinity`.
    case date(CivilDate)
    /// `interval`, as microseconds without days and months.
    case interval(Duration)
    /// `numeric`, as decimal text.
    case numeric(String)
    /// `bytea`.
    case bytes([UInt8])
    /// `jsonb`, as its UTF-8 text.
    case json([UInt8])

    /// This and the next ones: an array of one dimension, of the type of the single value. A nil
    /// item is NULL.
    case bools([Bool?])
    case int16s([Int16?])
    case int32s([Int32?])
    case int64s([Int64?])
    case doubles([Double?])
    case texts([String?])
    case uuids([UUID?])
    case timestamps([Timestamp?])
    case dates([CivilDate?])
    case bytesArray([[UInt8]?])
    case jsons([[UInt8]?])
}

extension PostgresValue {
    /// The id as `uuid`.
    public static func id<Subject>(_ id: ID<Subject>) -> PostgresValue { .uuid(id.uuid) }

    /// The ids as `uuid[]`.
    public static func ids<Subject>(_ ids: some Sequence<ID<Subject>>) -> PostgresValue {
        .uuids(ids.map { $0.uuid })
    }

    /// A whole number as `bigint`.
    public static func int(_ value: Int) -> PostgresValue { .int64(Int64(value)) }

    /// For columns that may be NULL: the value, or NULL of its type.
    public static func optionalID<Subject>(_ id: ID<Subject>?) -> PostgresValue {
        optionalUUID(id?.uuid)
    }

    /// `uuid`, or NULL of that type.
    public static func optionalUUID(_ value: UUID?) -> PostgresValue {
        value.map(PostgresValue.uuid) ?? .nullOf(.uuid)
    }

    /// `boolean`, or NULL of that type.
    public static func optionalBool(_ value: Bool?) -> PostgresValue {
        value.map(PostgresValue.bool) ?? .nullOf(.bool)
    }

    /// `smallint`, or NULL of that type.
    public static func optionalInt16(_ value: Int16?) -> PostgresValue {
        value.map(PostgresValue.int16) ?? .nullOf(.int16)
    }

    /// `integer`, or NULL of that type.
    public static func optionalInt32(_ value: Int32?) -> PostgresValue {
        value.map(PostgresValue.int32) ?? .nullOf(.int32)
    }

    /// `bigint`, or NULL of that type.
    public static func optionalInt64(_ value: Int64?) -> PostgresValue {
        value.map(PostgresValue.int64) ?? .nullOf(.int64)
    }

    /// A whole number as `bigint`, or NULL of that type.
    public static func optionalInt(_ value: Int?) -> PostgresValue {
        value.map(PostgresValue.int) ?? .nullOf(.int64)
    }

    /// `double precision`, or NULL of that type.
    public static func optionalDouble(_ value: Double?) -> PostgresValue {
        value.map(PostgresValue.double) ?? .nullOf(.double)
    }

    /// `text`, or NULL of that type.
    public static func optionalText(_ value: String?) -> PostgresValue {
        value.map(PostgresValue.text) ?? .nullOf(.text)
    }

    /// `timestamptz`, or NULL of that type.
    public static func optionalTimestamp(_ value: Timestamp?) -> PostgresValue {
        value.map(PostgresValue.timestamp) ?? .nullOf(.timestamp)
    }

    /// `date`, or NULL of that type.
    public static func optionalDate(_ value: CivilDate?) -> PostgresValue {
        value.map(PostgresValue.date) ?? .nullOf(.date)
    }

    /// `interval`, or NULL of that type.
    public static func optionalInterval(_ value: Duration?) -> PostgresValue {
        value.map(PostgresValue.interval) ?? .nullOf(.interval)
    }

    /// `numeric` from decimal text, or NULL of that type.
    public static func optionalNumeric(_ value: String?) -> PostgresValue {
        value.map(PostgresValue.numeric) ?? .nullOf(.numeric)
    }

    /// `bytea`, or NULL of that type.
    public static func optionalBytes(_ value: [UInt8]?) -> PostgresValue {
        value.map(PostgresValue.bytes) ?? .nullOf(.bytes)
    }

    /// `jsonb` from its UTF-8 text, or NULL of that type.
    public static func optionalJSON(_ value: [UInt8]?) -> PostgresValue {
        value.map(PostgresValue.json) ?? .nullOf(.json)
    }

    /// `text[]`, or NULL in the place of the whole array; an item may be NULL too.
    public static func optionalTexts(_ value: [String?]?) -> PostgresValue {
        value.map(PostgresValue.texts) ?? .nullOf(.texts)
    }

    /// `uuid[]`, or NULL in the place of the whole array; an item may be NULL too.
    public static func optionalUUIDs(_ value: [UUID?]?) -> PostgresValue {
        value.map(PostgresValue.uuids) ?? .nullOf(.uuids)
    }

    /// The object id that the statement is prepared with; 0 leaves it to the server.
    var oid: UInt32 {
        switch self {
        case .null: 0
        case .nullOf(let type): type.oid
        case .bool: PostgresType.bool.oid
        case .int16: PostgresType.int16.oid
        case .int32: PostgresType.int32.oid
        case .int64: PostgresType.int64.oid
        case .double: PostgresType.double.oid
        case .text: PostgresType.text.oid
        case .uuid: PostgresType.uuid.oid
        case .timestamp: PostgresType.timestamp.oid
        case .date: PostgresType.date.oid
        case .interval: PostgresType.interval.oid
        case .numeric: PostgresType.numeric.oid
        case .bytes: PostgresType.bytes.oid
        case .json: PostgresType.json.oid
        case .bools: PostgresType.bools.oid
        case .int16s: PostgresType.int16s.oid
        case .int32s: PostgresType.int32s.oid
        case .int64s: PostgresType.int64s.oid
        case .doubles: PostgresType.doubles.oid
        case .texts: PostgresType.texts.oid
        case .uuids: PostgresType.uuids.oid
        case .timestamps: PostgresType.timestamps.oid
        case .dates: PostgresType.dates.oid
        case .bytesArray: PostgresType.bytesArray.oid
        case .jsons: PostgresType.jsons.oid
        }
    }
}
