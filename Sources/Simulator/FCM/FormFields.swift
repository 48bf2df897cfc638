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

    /// A broken escape stands for itself.
    private static func decode(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: PercentText.bytes(bytes, plusIsSpace: true) ?? Array(bytes), as: UTF8.self)
    }
}
