/// The object ids of the types that this kit sends and reads (`pg_type.dat` of PostgreSQL 15).
///
/// Each has the name of its `PostgresValue`: `int16`, `int32` and `int64` are `smallint`, `integer`
/// and `bigint`, `double` is `double precision`, `timestamp` is `timestamptz`, `bytes` is `bytea`
/// and `json` is `jsonb`; a plural is the array of its singular.
public enum PostgresType: UInt32, Sendable {
    case bool = 16
    case bytes = 17
    case int64 = 20
    case int16 = 21
    case int32 = 23
    case text = 25
    case double = 701
    case date = 1082
    case timestamp = 1184
    case interval = 1186
    case numeric = 1700
    case uuid = 2950
    case json = 3802

    case bools = 1000
    case bytesArray = 1001
    case int16s = 1005
    case int32s = 1007
    case texts = 1009
    case int64s = 1016
    case doubles = 1022
    case dates = 1182
    case timestamps = 1185
    case uuids = 2951
    case jsons = 3807

    var oid: UInt32 { rawValue }
}

/// Microseconds and days between 1970-01-01 and 2000-01-01, from where PostgreSQL counts.
enum Epoch {
    static let microseconds: Int64 = 946_684_800_000_000
    static let days = 10_957
}
