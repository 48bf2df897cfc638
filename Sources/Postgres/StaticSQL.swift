/// The text of one statement, written in the source.
///
/// It can be made from a literal only, so nothing that a person typed ever becomes SQL: values
/// travel beside it as `$1`, `$2`… Each connection prepares it once and knows it by its address.
public struct StaticSQL: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    let text: StaticString

    /// For the compiler; a literal of one character has no address and stops the program.
    public init(stringLiteral text: StaticString) {
        precondition(text.hasPointerRepresentation, "a statement has more than one character")
        self.text = text
    }

    /// The statement, which holds no values.
    public var description: String { text.description }

    /// Where the text stands in the binary: its identity.
    var address: UInt { UInt(bitPattern: text.utf8Start) }

    /// The text as C wants it; literals end in a NUL.
    var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

/// A statement and its values, for a pipeline.
public struct PostgresQuery: Sendable {
    /// Prepared once by each connection.
    public let sql: StaticSQL
    /// `$1` first.
    public let values: [PostgresValue]

    /// `$1` first. That there are as many as the statement names is for the server to ask.
    public init(_ sql: StaticSQL, _ values: PostgresValue...) {
        self.init(sql, values)
    }

    /// The same for values that are in an array already.
    public init(_ sql: StaticSQL, _ values: [PostgresValue]) {
        self.sql = sql
        self.values = values
    }
}
