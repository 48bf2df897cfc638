import HTTPServer
import Values

/// Where a request stands in a distributed trace (https://www.w3.org/TR/trace-context/).
public struct TraceContext: Sendable, Equatable {
    /// The header as it came, which is echoed.
    public let header: String

    /// - Returns: nil for what is not version 00 or has an id of nothing but zeros.
    public init?(_ header: String) {
        let parts = header.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "00", Self.isHex(parts[1], 32),
            Self.isHex(parts[2], 16), Self.isHex(parts[3], 2)
        else { return nil }
        self.header = header
    }

    /// The trace's id: 32 digits.
    public var id: String { String(header.dropFirst(3).prefix(32)) }

    private static func isHex(_ text: Substring, _ count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x66 }
            && (count == 2 || text.utf8.contains { $0 != 0x30 })
    }
}

/// The id of a request, taken from the caller when it is harmless.
enum RequestID {
    static func of(_ request: HTTPRequestHead) -> String {
        guard let given = request.headers["X-Request-Id"], isHarmless(given) else {
            return UUID.v7().description
        }
        return given
    }

    /// What can stand in a header, a log line and a body as it is.
    private static func isHarmless(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "."), UInt8(ascii: ":"):
                    true
                default: false
                }
            }
    }
}
