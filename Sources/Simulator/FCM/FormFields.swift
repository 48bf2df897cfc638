import Values

/// Fields of `application/x-www-form-urlencoded`, as a form's body and a query have them; the first
/// of a name counts.
struct FormFields {
    private var fields: [(name: String, value: String)] = []

    init(_ bytes: [UInt8]) {
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            fields.append((Self.decode(parts[0]), parts.count == 2 ? Self.decode(parts[1]) : ""))
        }
    }

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    private static func decode(_ bytes: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                result.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"), rest.count >= 2,
                let decoded = Hex.decode(String(decoding: rest.prefix(2), as: UTF8.self))
            {
                result.append(contentsOf: decoded)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
