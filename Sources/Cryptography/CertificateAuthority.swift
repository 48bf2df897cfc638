import COpenSSL
public import Values

/// A certificate and its key, for a server of the simulator or of a test.
public struct ServerIdentity: Sendable {
    /// The server's own alone: clients trust the authority's.
    public let certificatePEM: String
    /// PKCS#8, on P-256.
    public let keyPEM: Secret<String>
}

/// A certificate authority of one's own, made when needed, so that no certificate lies in the tree
/// and none expires there.
public final class CertificateAuthority: @unchecked Sendable {
    // @unchecked: the certificate is not changed after init.
    private let certificate: OpaquePointer
    private let key: SigningKey
    /// What clients must trust.
    public let certificatePEM: String

    /// - Parameters:
    ///   - name: the common name that clients show.
    ///   - days: how long it and all it issues are good, from yesterday on.
    public init(
        name: String = "Sineta simulator CA", days: Int = 825
    ) throws(CryptographyFault) {
        key = try SigningKey.generateP256()
        let draft = try CertificateDraft(name: name, key: key, days: days)
        try draft.add(NID_basic_constraints, "critical,CA:TRUE")
        try draft.add(NID_key_usage, "critical,keyCertSign,cRLSign")
        try draft.add(NID_subject_key_identifier, "hash")
        try draft.sign(with: key, issuer: nil)
        certificate = draft.take()
        certificatePEM = try CertificateDraft.pem(of: certificate)
    }

    deinit { X509_free(certificate) }

    /// A server certificate for these DNS names and IP addresses.
    public func issue(names: [String], days: Int = 397) throws(CryptographyFault) -> ServerIdentity
    {
        let key = try SigningKey.generateP256()
        let draft = try CertificateDraft(name: names.first ?? "server", key: key, days: days)
        try draft.add(NID_basic_constraints, "critical,CA:FALSE", issuer: certificate)
        try draft.add(NID_key_usage, "critical,digitalSignature", issuer: certificate)
        try draft.add(NID_ext_key_usage, "serverAuth", issuer: certificate)
        // Strict clients (X509_V_FLAG_X509_STRICT, Python's ssl) ask for the issuer's key by its
        // id.
        try draft.add(NID_authority_key_identifier, "keyid:always", issuer: certificate)
        let alternatives = names.map { isAddress($0) ? "IP:\($0)" : "DNS:\($0)" }
        try draft.add(
            NID_subject_alt_name, alternatives.joined(separator: ","), issuer: certificate)
        try draft.sign(with: self.key, issuer: certificate)
        let issued = draft.take()
        defer { X509_free(issued) }
        return ServerIdentity(
            certificatePEM: try CertificateDraft.pem(of: issued), keyPEM: try key.pem())
    }

    private func isAddress(_ name: String) -> Bool {
        name.contains(":") || name.allSatisfy { $0 == "." || $0.isNumber }
    }
}

/// A certificate being written; it owns its X509 until `take`.
private struct CertificateDraft: ~Copyable {
    private var certificate: OpaquePointer?

    init(name: String, key: SigningKey, days: Int) throws(CryptographyFault) {
        let certificate = try OpenSSL.make("make a certificate") { X509_new() }
        self.certificate = certificate
        // A serial number is 159 random bits at most; 64 are plenty here.
        let serial = SecureRandom.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 1
        let names = X509_get_subject_name(certificate)
        let text = Array(name.utf8)
        try OpenSSL.check("make a certificate") {
            let isSet =
                X509_set_version(certificate, 2) == 1
                && ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) == 1
                && X509_gmtime_adj(X509_getm_notBefore(certificate), -86400) != nil
                && X509_gmtime_adj(X509_getm_notAfter(certificate), days * 86400) != nil
                && X509_NAME_add_entry_by_NID(
                    names, NID_commonName, MBSTRING_FLAG, text, Int32(text.count), -1, 0) == 1
                && X509_set_pubkey(certificate, key.handle.pointer) == 1
            return isSet ? 1 : 0
        }
    }

    deinit { X509_free(certificate) }

    /// - Parameter issuer: nil for one that signs itself.
    func add(
        _ extensionID: Int32, _ value: String, issuer: OpaquePointer? = nil
    ) throws(CryptographyFault) {
        let part = try OpenSSL.make("make a certificate") {
            sineta_x509_extension(issuer ?? certificate, certificate, extensionID, value)
        }
        defer { X509_EXTENSION_free(part) }
        try OpenSSL.check("make a certificate") { X509_add_ext(certificate, part, -1) }
    }

    func sign(with key: SigningKey, issuer: OpaquePointer?) throws(CryptographyFault) {
        try OpenSSL.check("sign a certificate") {
            X509_set_issuer_name(certificate, X509_get_subject_name(issuer ?? certificate))
        }
        // X509_sign answers the size of the signature.
        try OpenSSL.check("sign a certificate") {
            X509_sign(certificate, key.handle.pointer, EVP_sha256()) > 0 ? 1 : 0
        }
    }

    /// The X509, now the caller's to free.
    consuming func take() -> OpaquePointer {
        guard let result = certificate else { preconditionFailure("a draft holds a certificate") }
        certificate = nil
        return result
    }

    static func pem(of certificate: OpaquePointer) throws(CryptographyFault) -> String {
        let bio = try MemoryBIO()
        try OpenSSL.check("write a certificate") { PEM_write_bio_X509(bio.pointer, certificate) }
        return bio.text
    }
}
