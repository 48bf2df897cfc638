/// How a string stands within JSON (RFC 8259 section 7): only what must be escaped is.
public enum JSONText {
    /// How many bytes a string takes between its quotes, for budgets that are counted before
    /// anything is written.
    public static func encodedLength(_ text: some StringProtocol) -> Int {
        var length = 0
        for byte in text.utf8 { length += encodedLength(of: byte) }
        return length
    }

    static func encodedLength(of byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), 8, 9, 10, 12, 13: 2
        case 0..<0x20: 6
        default: 1
        }
    }
}

extension [UInt8] {
    /// Appends a string in quotes. Runs that need no escape are copied whole.
    mutating func appendQuoted(_ text: String) {
        append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            var start = 0
            for (index, byte) in bytes.enumerated() where JSONText.encodedLength(of: byte) > 1 {
                append(contentsOf: bytes[start..<index])
                appendEscape(byte)
                start = index + 1
            }
            append(contentsOf: bytes[start...])
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case 8: append(UInt8(ascii: "b"))
        case 9: append(UInt8(ascii: "t"))
        case 10: append(UInt8(ascii: "n"))
        case 12: append(UInt8(ascii: "f"))
        case 13: append(UInt8(ascii: "r"))
        case 0..<0x20:
            append(contentsOf: "u00".utf8)
            append(UInt8(ascii: "0") + (byte >> 4))
            append((byte & 15) < 10 ? UInt8(ascii: "0") + (byte & 15) : 0x57 + (byte & 15))
        default: append(byte)
        }
    }
}
