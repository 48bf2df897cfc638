/// Numbers in the digits `0-9A-Za-z`: nothing that a URL, a shell or a double click would cut.
public enum Base62 {
    private static let alphabet = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// The bytes as one number, most significant first, with zeros before it up to `width`.
    public static func encode(_ bytes: [UInt8], width: Int) -> String {
        var number = bytes
        var digits: [UInt8] = []
        while number.contains(where: { $0 != 0 }) {
            var rest = 0
            for index in number.indices {
                let value = rest << 8 | Int(number[index])
                number[index] = UInt8(value / 62)
                rest = value % 62
            }
            digits.append(alphabet[rest])
        }
        let zeros = [UInt8](repeating: alphabet[0], count: max(0, width - digits.count))
        return String(decoding: zeros + digits.reversed(), as: UTF8.self)
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}

/// The checksum of ISO 3309 (zlib, PNG): it finds typing and copying errors, not forgers.
public enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1
        }
    }

    /// All 32 bits, as zlib's `crc32` gives them.
    public static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { value, byte in
            table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ value >> 8
        }
    }
}
