import COpenSSL
public import Values

/// A private key that signs: P-256 for APNs, RSA for Google.
///
/// It prints as its kind, and its material leaves only through `pem`, as a secret.
public struct SigningKey: Sendable, CustomStringConvertible {
    /// Which algorithm signs with it.
    public let kind: KeyKind
    let handle: PrivateKeyHandle

    init(handle: PrivateKeyHandle) {
        self.kind = handle.kind
        self.handle = handle
    }

    /// Reads an elliptic-curve key on P-256, in every form a `.p8` comes in: real line breaks, `\n`
    /// spelled out, CRLF, no final line break, one line with spaces or with nothing, quotes and
    /// white space around it.
    public static func ec(pem: String) throws(KeyFault) -> SigningKey {
        let key = try SigningKey(pem: pem)
        guard key.kind == .p256 else { throw .wrongKind(wanted: .p256, found: key.kind) }
        return key
    }

    /// Reads an RSA key of at least 2048 bits, in the same forms.
    public static func rsa(pem: String) throws(KeyFault) -> SigningKey {
        let key = try SigningKey(pem: pem)
        guard key.kind == .rsa else { throw .wrongKind(wanted: .rsa, found: key.kind) }
        let bits = Int(EVP_PKEY_get_bits(key.handle.pointer))
        guard bits >= 2048 else { throw .tooShort(bits: bits) }
        return key
    }

    private init(pem text: String) throws(KeyFault) {
        let pem = try PEMText.privateKey(in: text)
        let pointer: OpaquePointer? = OpenSSL.attempt {
            guard let bio = try? MemoryBIO(pem) else { return nil }
            // The empty passphrase keeps the library from asking for one at the terminal.
            var passphrase: CChar = 0
            return PEM_read_bio_PrivateKey(bio.pointer, nil, nil, &passphrase)
        }
        guard let pointer else { throw .unreadable }
        self.init(handle: PrivateKeyHandle(owning: pointer))
    }

    /// The public half, for those who verify.
    public var verifyingKey: VerifyingKey { VerifyingKey(handle: handle) }

    /// The key as PKCS#8 in PEM, for files that only its owner may read.
    public func pem() throws(CryptographyFault) -> Secret<String> {
        let bio = try MemoryBIO()
        try OpenSSL.check("write a key") {
            PEM_write_bio_PKCS8PrivateKey(bio.pointer, handle.pointer, nil, nil, 0, nil, nil)
        }
        return Secret(bio.text)
    }

    public var description: String { "private key (\(kind))" }
}

/// The half of a key that verifies.
public struct VerifyingKey: Sendable {
    /// Which algorithm is verified with it.
    public var kind: KeyKind { handle.kind }
    let handle: PrivateKeyHandle

    init(handle: PrivateKeyHandle) {
        self.handle = handle
    }

    /// The public key in PEM (SubjectPublicKeyInfo).
    public func pem() throws(CryptographyFault) -> String {
        let bio = try MemoryBIO()
        try OpenSSL.check("write a key") { PEM_write_bio_PUBKEY(bio.pointer, handle.pointer) }
        return bio.text
    }
}

extension SigningKey {
    /// A new key on P-256, as Apple's are.
    public static func generateP256() throws(CryptographyFault) -> SigningKey {
        let pointer = try OpenSSL.make("make a key") { sineta_generate_p256() }
        return SigningKey(handle: PrivateKeyHandle(owning: pointer))
    }

    /// A new RSA key, as Google's service accounts have. It takes some 100 ms of the calling
    /// thread.
    public static func generateRSA(bits: Int = 2048) throws(CryptographyFault) -> SigningKey {
        let pointer = try OpenSSL.make("make a key") { sineta_generate_rsa(UInt32(bits)) }
        return SigningKey(handle: PrivateKeyHandle(owning: pointer))
    }
}
