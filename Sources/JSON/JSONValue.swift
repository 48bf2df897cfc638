/// One JSON value as it was written: integers and reals are told apart, members keep their order.
public enum JSONValue: Sendable, Equatable {
    /// A null that was written; an absent member has no value.
    case null
    case bool(Bool)
    /// Written without fraction and exponent.
    case integer(Int64)
    /// Written with a fraction or an exponent, `1.0` too. Never infinite or NaN when it was read.
    case real(Double)
    /// Unescaped; U+0000 and lone surrogates are refused in reading.
    case text(String)
    /// In the order in which they were written.
    case array([JSONValue])
    /// Its members in the order in which they were written.
    case object(JSONObject)
}

extension JSONValue {
    /// True of a null that was written; of an absent member there is no value to ask.
    public var isNull: Bool { self == .null }

    /// This and the next ones: the value if it is of that kind, else nil; nothing is converted.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// A number that was written without fraction and exponent.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// Any number.
    public var real: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        case .null, .bool, .text, .array, .object: nil
        }
    }

    public var text: String? {
        if case .text(let value) = self { value } else { nil }
    }

    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The member of an object; nil when it is absent or this is no object. A null that was
    /// written is `.null`, so that absent and null stay two things.
    public subscript(_ key: String) -> JSONValue? { object?[key] }

    /// The element of an array; nil beyond its end or when this is no array.
    public subscript(_ index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .real(value) }
    public init(stringLiteral value: String) { self = .text(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements))
    }
}
