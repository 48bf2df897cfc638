/// Counts nesting before the parser sees a byte: jansson's own limit is 2,048, and each level of it
/// costs stack here too.
enum JSONDepth {
    /// How many arrays and objects may be open at once.
    static let limit = 64

    /// The offset of the first bracket that opens one level too many.
    ///
    /// Brackets within strings do not count. The bytes need not be JSON: what the walk takes for a
    /// string in a broken document only decides which fault is named.
    static func excess(in bytes: [UInt8]) -> Int? {
        var depth = 0
        var inString = false
        var escaped = false
        for (offset, byte) in bytes.enumerated() {
            if inString {
                if escaped {
                    escaped = false
                } else if byte == UInt8(ascii: "\\") {
                    escaped = true
                } else if byte == UInt8(ascii: "\"") {
                    inString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): inString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth > limit { return offset }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return nil
    }
}
