/// What a field of an event holds.
public indirect enum FieldShape: Sendable, Equatable {
    /// Characters are counted as code points, as PostgreSQL and JSON Schema count them.
    case text(length: ClosedRange<Int>)
    /// One of these words.
    case choice([String])
    /// A UUID in either case, kept lower case.
    case uuid
    /// A decimal in major units, as a string.
    case amount
    /// Three capital letters of ISO 4217.
    case currency
    /// Within these bounds, both included; written without fraction and exponent.
    case integer(ClosedRange<Int64>)
    /// `true` or `false`; no number or text stands for it.
    case boolean
    /// RFC 3339 with an offset, kept in UTC.
    case time
    /// With these fields; others that were sent are dropped.
    case object([EventField])
}

/// One field of an event.
public struct EventField: Sendable, Equatable {
    /// The key in the object that it stands in.
    public let name: String
    /// What it holds when it is neither absent nor null.
    public let shape: FieldShape
    /// Whether its absence is a fault.
    public let isRequired: Bool
    /// Whether null may stand for none.
    public let isNullable: Bool

    /// A field that must be there; null is a fault unless `nullable`.
    public static func required(
        _ name: String, _ shape: FieldShape, nullable: Bool = false
    ) -> EventField {
        EventField(name: name, shape: shape, isRequired: true, isNullable: nullable)
    }

    /// A field that may be absent (unchanged) or null (none).
    public static func optional(_ name: String, _ shape: FieldShape) -> EventField {
        EventField(name: name, shape: shape, isRequired: false, isNullable: true)
    }
}

extension FieldShape {
    /// The word for the shape in the exported table.
    var word: String {
        switch self {
        case .text: "text"
        case .choice: "choice"
        case .uuid: "uuid"
        case .amount: "amount"
        case .currency: "currency"
        case .integer: "integer"
        case .boolean: "boolean"
        case .time: "time"
        case .object: "object"
        }
    }

    /// A regular expression that JSON Schema and PostgreSQL read alike; nil when none is needed.
    var pattern: String? {
        switch self {
        case .uuid: "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"
        case .amount: Amount.pattern
        case .currency: Money.currencyPattern
        case .time:
            "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt ]"
                + "([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\\.[0-9]+)?"
                + "([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"
        case .text, .choice, .integer, .boolean, .object: nil
        }
    }
}
