import COpenSSL

/// Owns one EVP_PKEY.
final class PrivateKeyHandle: @unchecked Sendable {
    // @unchecked: the key is never changed after init, and OpenSSL 3 lets threads share such a key
    // (https://www.openssl.org/docs/man3.0/man7/openssl-threads.html).
    let pointer: OpaquePointer

    /// Takes over the pointer, which this object alone frees.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit { EVP_PKEY_free(pointer) }

    var kind: KeyKind {
        if EVP_PKEY_is_a(pointer, "RSA") == 1 { return .rsa }
        if EVP_PKEY_is_a(pointer, "EC") == 1 { return curve == "prime256v1" ? .p256 : .otherCurve }
        return .other
    }

    private var curve: String {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else { return "" }
        return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// What a key can sign with.
public enum KeyKind: Sendable, Equatable {
    /// An elliptic-curve key on P-256 (prime256v1), for ES256.
    case p256
    /// Of any length, for RS256; `SigningKey.rsa` asks for 2048 bits.
    case rsa
    /// An elliptic-curve key on another curve.
    case otherCurve
    /// Neither RSA nor an elliptic-curve key (OpenSSL's `EC`).
    case other
}
