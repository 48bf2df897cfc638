/// Writes JSON straight into bytes: keys in the order of the calls, no white space, UTF-8 and `/`
/// as they are.
///
/// The caller keeps the grammar (a key before each value of an object, an end for each beginning);
/// commas come by themselves.
public struct JSONWriter: Sendable {
    /// What was written so far, in UTF-8.
    public private(set) var bytes: [UInt8]

    /// - Parameter capacity: bytes that are set aside, to be right about the usual length.
    public init(reserving capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Objects and arrays, an end for each beginning.
    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    public mutating func endObject() { bytes.append(UInt8(ascii: "}")) }
    public mutating func beginArray() { open(UInt8(ascii: "[")) }
    public mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

    /// The key of the next value of an object; that it differs from the others is the caller's
    /// care.
    public mutating func key(_ key: String) {
        separate()
        bytes.appendQuoted(key)
        bytes.append(UInt8(ascii: ":"))
    }

    /// A text in quotes: quotes, backslashes and controls are escaped, all else stays as it is.
    public mutating func string(_ value: String) {
        separate()
        bytes.appendQuoted(value)
    }

    /// Digits as they are, however many: readers in JavaScript lose those beyond 2^53.
    public mutating func integer(_ value: some BinaryInteger) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// JSON has no infinity and no NaN: they become null.
    public mutating func real(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        bytes.append(contentsOf: value.description.utf8)
    }

    public mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    public mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Bytes that are already one whole JSON value.
    public mutating func raw(_ value: [UInt8]) {
        separate()
        bytes.append(contentsOf: value)
    }

    /// Any value, its members in their order.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .real(let value): real(value)
        case .text(let value): string(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let object):
            beginObject()
            for member in object {
                key(member.key)
                self.value(member.value)
            }
            endObject()
        }
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
    }

    /// A comma is due unless the last byte opened something or ended a key.
    private mutating func separate() {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }
}

extension JSONWriter {
    /// One string member.
    public mutating func member(_ key: String, _ value: String) {
        self.key(key)
        string(value)
    }

    /// One string member, left out when there is none.
    public mutating func member(_ key: String, ifPresent value: String?) {
        if let value { member(key, value) }
    }

    /// One string member that stands there as null when there is none.
    public mutating func member(_ key: String, orNull value: String?) {
        self.key(key)
        if let value { string(value) } else { null() }
    }

    /// One integer member.
    public mutating func member(_ key: String, _ value: some BinaryInteger) {
        self.key(key)
        integer(value)
    }

    /// One boolean member.
    public mutating func member(_ key: String, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    /// One member of any value.
    public mutating func member(_ key: String, _ value: JSONValue) {
        self.key(key)
        self.value(value)
    }
}

extension JSONValue {
    /// The value as JSON without white space, members in their order.
    public var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}
