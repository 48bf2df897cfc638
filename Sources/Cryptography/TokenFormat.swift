public import Values

/// Tokens that can be told by sight: `sk_<43 base62 of 256 random bits>_<6 base62 of a CRC-32>`.
///
/// The checksum lets a mistyped token be refused without a query, and lets scanners of leaked
/// secrets know a real one.
public struct TokenFormat: Sendable {
    /// A store's API token.
    public static let storeAPI = TokenFormat(prefix: "sk")

    /// What stands before the first `_`.
    public let prefix: String

    public init(prefix: String) {
        self.prefix = prefix
    }

    /// - Parameter random: 32 bytes that nobody can guess.
    public func make(from random: [UInt8] = SecureRandom.bytes(32)) -> Secret<String> {
        precondition(random.count == 32, "a token carries 256 bits")
        let body = "\(prefix)_\(Base62.encode(random, width: 43))"
        return Secret("\(body)_\(checksum(of: body.utf8))")
    }

    /// What may be kept and shown of a token to know it by: its prefix and the first of its 43
    /// digits, eight characters of a store's API token. Nothing to guess it from.
    public static func shown(of token: String) -> String { String(token.prefix(8)) }

    /// Whether a text has the form and its checksum is right: whether a query is worth its cost.
    public func check(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let head = Array("\(prefix)_".utf8)
        guard bytes.count == head.count + 43 + 7, bytes.starts(with: head),
            bytes[bytes.count - 7] == UInt8(ascii: "_"),
            bytes[head.count..<head.count + 43].allSatisfy(Base62.isDigit)
        else { return false }
        return bytes.suffix(6).elementsEqual(checksum(of: bytes.dropLast(7)).utf8)
    }

    private func checksum(of bytes: some Sequence<UInt8>) -> String {
        let value = CRC32.checksum(bytes).bigEndian
        return Base62.encode(withUnsafeBytes(of: value) { Array($0) }, width: 6)
    }
}
