import COpenSSL
public import Values

/// A sealed text that does not open: another key, other context, or changed bytes. It does not tell
/// which, since nobody who may not open it should know.
public struct SealFault: Error, Equatable, Sendable, CustomStringConvertible {
    public var description: String { "the sealed value does not open with this key and context" }
}

/// AES-256-GCM for secrets at rest (NIST SP 800-38D): 12 bytes of nonce, the sealed text, 16 of
/// tag.
public struct SealingKey: Sendable {
    private static let nonceBytes = 12
    private static let tagBytes = 16

    private let key: Secret<[UInt8]>

    /// - Parameter bytes: 32 of them; any other count is nil.
    public init?(_ bytes: Secret<[UInt8]>) {
        guard bytes.reveal().count == 32 else { return nil }
        key = bytes
    }

    /// A key of its own per purpose, out of one master secret.
    public init(deriving purpose: String, from master: Secret<[UInt8]>) {
        key = Secret(HMAC.sha256(key: master.reveal(), data: Array(purpose.utf8)))
    }

    /// - Parameter context: what the value belongs to, as a table and an id. It is not stored, and
    ///   the value opens only with the same, so that nobody can move it to another row.
    public func seal(
        _ plain: Secret<[UInt8]>, context: [UInt8]
    ) throws(CryptographyFault) -> [UInt8] {
        let nonce = SecureRandom.bytes(Self.nonceBytes)
        let text = plain.reveal()
        let cipher = try CipherContext()
        try OpenSSL.check("seal") {
            EVP_EncryptInit_ex(cipher.pointer, EVP_aes_256_gcm(), nil, key.reveal(), nonce)
        }
        var count: Int32 = 0
        try OpenSSL.check("seal") {
            EVP_EncryptUpdate(cipher.pointer, nil, &count, context, Int32(context.count))
        }
        var sealed = [UInt8](repeating: 0, count: text.count)
        try OpenSSL.check("seal") {
            EVP_EncryptUpdate(cipher.pointer, &sealed, &count, text, Int32(text.count))
        }
        // GCM is a stream: nothing is left for the final call but the tag.
        var rest = [UInt8](repeating: 0, count: 16)
        try OpenSSL.check("seal") { EVP_EncryptFinal_ex(cipher.pointer, &rest, &count) }
        var tag = [UInt8](repeating: 0, count: Self.tagBytes)
        try OpenSSL.check("seal") {
            EVP_CIPHER_CTX_ctrl(
                cipher.pointer, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagBytes), &tag)
        }
        return nonce + sealed + tag
    }

    /// The text that `seal` took, if key and context are the same and no byte has changed.
    public func open(_ sealed: [UInt8], context: [UInt8]) throws(SealFault) -> Secret<[UInt8]> {
        guard sealed.count >= Self.nonceBytes + Self.tagBytes else { throw SealFault() }
        let text = Array(sealed[Self.nonceBytes..<sealed.count - Self.tagBytes])
        let plain = OpenSSL.attempt {
            decrypt(
                text, nonce: Array(sealed.prefix(Self.nonceBytes)),
                tag: Array(sealed.suffix(Self.tagBytes)), context: context)
        }
        guard let plain else { throw SealFault() }
        return Secret(plain)
    }

    private func decrypt(
        _ text: [UInt8], nonce: [UInt8], tag: [UInt8], context: [UInt8]
    ) -> [UInt8]? {
        guard let cipher = try? CipherContext() else { return nil }
        var tag = tag
        var count: Int32 = 0
        var plain = [UInt8](repeating: 0, count: text.count)
        var rest = [UInt8](repeating: 0, count: 16)
        guard
            EVP_DecryptInit_ex(cipher.pointer, EVP_aes_256_gcm(), nil, key.reveal(), nonce) == 1,
            EVP_DecryptUpdate(cipher.pointer, nil, &count, context, Int32(context.count)) == 1,
            EVP_DecryptUpdate(cipher.pointer, &plain, &count, text, Int32(text.count)) == 1,
            EVP_CIPHER_CTX_ctrl(
                cipher.pointer, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagBytes), &tag) == 1,
            EVP_DecryptFinal_ex(cipher.pointer, &rest, &count) == 1
        else { return nil }
        return plain
    }
}

/// Owns one EVP_CIPHER_CTX.
private final class CipherContext {
    let pointer: OpaquePointer

    init() throws(CryptographyFault) {
        pointer = try OpenSSL.make("seal") { EVP_CIPHER_CTX_new() }
    }

    deinit { EVP_CIPHER_CTX_free(pointer) }
}
