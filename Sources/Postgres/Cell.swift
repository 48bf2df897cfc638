import Values

/// One value as the server sent it: its type's object id and its binary form.
struct Cell {
    let type: UInt32
    let bytes: UnsafeRawBufferPointer

    func integer<Integer: FixedWidthInteger>(at offset: Int = 0) -> Integer? {
        let size = MemoryLayout<Integer>.size
        guard offset >= 0, offset + size <= bytes.count else { return nil }
        return Integer(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Integer.self))
    }

    /// The whole of the cell as one integer.
    func whole<Integer: FixedWidthInteger>() -> Integer? {
        bytes.count == MemoryLayout<Integer>.size ? integer() : nil
    }

    func isOf(_ types: PostgresType...) -> Bool { types.contains { $0.oid == type } }

    /// The items of an array of one dimension (`array_send`), or nil when it is none.
    func items<Item: CellReadable>(of _: Item.Type) -> [Item?]? {
        guard let dimensions: Int32 = integer(), let element: UInt32 = integer(at: 8) else {
            return nil
        }
        if dimensions == 0 { return [] }
        guard dimensions == 1, let count: Int32 = integer(at: 12), count >= 0 else { return nil }
        var items: [Item?] = []
        items.reserveCapacity(Int(count))
        var offset = 20
        for _ in 0..<count {
            guard let length: Int32 = integer(at: offset) else { return nil }
            offset += 4
            if length < 0 {
                items.append(nil)
                continue
            }
            let end = offset + Int(length)
            guard end <= bytes.count else { return nil }
            let slice = UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
            guard let item = Item(Cell(type: element, bytes: slice)) else { return nil }
            items.append(item)
            offset = end
        }
        return items
    }
}

/// Something that can be read from a cell of the right type; nil for a wrong one.
protocol CellReadable {
    static var name: String { get }
    init?(_ cell: Cell)
}

extension Bool: CellReadable {
    static var name: String { "boolean" }
    init?(_ cell: Cell) {
        guard cell.isOf(.bool), let byte: UInt8 = cell.whole() else { return nil }
        self = byte != 0
    }
}

extension Int16: CellReadable {
    static var name: String { "smallint" }
    init?(_ cell: Cell) {
        guard cell.isOf(.int16), let value: Int16 = cell.whole() else { return nil }
        self = value
    }
}

extension Int32: CellReadable {
    static var name: String { "integer" }
    init?(_ cell: Cell) {
        if cell.isOf(.int16), let value: Int16 = cell.whole() {
            self = Int32(value)
        } else if cell.isOf(.int32), let value: Int32 = cell.whole() {
            self = value
        } else {
            return nil
        }
    }
}

extension Int64: CellReadable {
    static var name: String { "bigint" }
    init?(_ cell: Cell) {
        if cell.isOf(.int64), let value: Int64 = cell.whole() {
            self = value
        } else if let value = Int32(cell) {
            self = Int64(value)
        } else {
            return nil
        }
    }
}

extension Double: CellReadable {
    static var name: String { "double precision" }
    /// float4.
    private static var real: UInt32 { 700 }
    init?(_ cell: Cell) {
        if cell.isOf(.double), let bits: UInt64 = cell.whole() {
            self = Double(bitPattern: bits)
        } else if cell.type == Self.real, let bits: UInt32 = cell.whole() {
            self = Double(Float(bitPattern: bits))
        } else {
            return nil
        }
    }
}

extension String: CellReadable {
    static var name: String { "text" }
    init?(_ cell: Cell) {
        // Enums and types of extensions have object ids of their own and travel as text; a type
        // that this kit knows to be binary is a mistake of the caller.
        if let known = PostgresType(rawValue: cell.type), known != .text { return nil }
        self.init(validating: cell.bytes, as: UTF8.self)
    }
}

extension UUID: CellReadable {
    static var name: String { "uuid" }
    init?(_ cell: Cell) {
        guard cell.isOf(.uuid), cell.bytes.count == 16, let high: UInt64 = cell.integer(),
            let low: UInt64 = cell.integer(at: 8)
        else { return nil }
        self.init(high: high, low: low)
    }
}

extension Timestamp: CellReadable {
    static var name: String { "timestamptz" }
    init?(_ cell: Cell) {
        guard cell.isOf(.timestamp), let value: Int64 = cell.whole(), value != .min else {
            return nil
        }
        // `infinity` is Int64.max and overflows here: it is no moment.
        let (microseconds, overflow) = value.addingReportingOverflow(Epoch.microseconds)
        if overflow { return nil }
        self.init(microseconds: microseconds)
    }
}

extension CivilDate: CellReadable {
    static var name: String { "date" }
    init?(_ cell: Cell) {
        guard cell.isOf(.date), let days: Int32 = cell.whole(), days != .max, days != .min else {
            return nil
        }
        self.init(daysSinceEpoch: Int(days) + Epoch.days)
    }
}

extension Duration: CellReadable {
    static var name: String { "interval without months" }
    init?(_ cell: Cell) {
        guard cell.isOf(.interval), let microseconds: Int64 = cell.integer(),
            let days: Int32 = cell.integer(at: 8), let months: Int32 = cell.integer(at: 12),
            months == 0
        else { return nil }
        self = .microseconds(microseconds) + .seconds(Int64(days) * 86400)
    }
}

extension [UInt8]: CellReadable {
    static var name: String { "bytea" }
    init?(_ cell: Cell) {
        guard cell.isOf(.bytes) else { return nil }
        self.init(cell.bytes)
    }
}

/// The text of a `jsonb` (behind its version, 1) or `json`.
struct JSONCell: CellReadable {
    static let name = "jsonb"
    private static let plain: UInt32 = 114
    let bytes: [UInt8]

    init?(_ cell: Cell) {
        if cell.isOf(.json), cell.bytes.first == 1 {
            bytes = [UInt8](cell.bytes.dropFirst())
        } else if cell.type == Self.plain {
            bytes = [UInt8](cell.bytes)
        } else {
            return nil
        }
    }
}
