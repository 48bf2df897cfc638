/// Percent-decoding (RFC 3986 section 2.1).
public enum PercentText {
    /// The bytes; nil for a broken escape.
    ///
    /// - Parameter plusIsSpace: as in queries and forms (application/x-www-form-urlencoded).
    public static func bytes(
        _ text: some Sequence<UInt8>, plusIsSpace: Bool = false
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                let digits = rest.prefix(2)
                rest = rest.dropFirst(2)
                let pair = String(decoding: digits, as: UTF8.self)
                guard digits.count == 2, let value = Hex.decode(pair)?.first else { return nil }
                bytes.append(value)
            } else {
                bytes.append(byte == UInt8(ascii: "+") && plusIsSpace ? 0x20 : byte)
            }
        }
        return bytes
    }

    /// The text; nil for a broken escape, for what is not UTF-8 and for control characters.
    public static func decode(
        _ text: some StringProtocol, plusIsSpace: Bool = false
    ) -> String? {
        guard let bytes = bytes(text.utf8, plusIsSpace: plusIsSpace),
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
