import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// 32 bytes.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        _ = COpenSSL.SHA256(bytes, bytes.count, &digest)
        return digest
    }

    /// The same of a text in UTF-8.
    public static func hash(_ text: String) -> [UInt8] { hash(Array(text.utf8)) }
}

/// HMAC (RFC 2104).
public enum HMAC {
    /// 32 bytes.
    public static func sha256(key: [UInt8], data: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        let result = COpenSSL.HMAC(
            EVP_sha256(), key, Int32(key.count), data, data.count, &digest, &count)
        // Keys and data of any length are taken: only the lack of memory is left.
        precondition(result != nil && count == 32, "HMAC failed")
        return digest
    }
}

/// Compares in a time that depends on the lengths alone, so that it tells a guesser nothing.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
