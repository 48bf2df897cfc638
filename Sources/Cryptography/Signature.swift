import COpenSSL

/// Signatures over SHA-256 in the forms of JOSE (RFC 7518).
enum Signature {
    /// ES256: r and s, 32 bytes each; RS256: PKCS #1 v1.5.
    static func sign(_ message: [UInt8], with key: SigningKey) throws(CryptographyFault) -> [UInt8]
    {
        let signature = try digestSign(message, with: key.handle)
        return key.kind == .rsa ? signature : try raw(fromDER: signature)
    }

    /// False for every signature that is not good, malformed ones included.
    static func verify(_ signature: [UInt8], of message: [UInt8], with key: VerifyingKey) -> Bool {
        guard key.kind != .rsa else { return digestVerify(signature, message, key.handle) }
        guard let der = der(fromRaw: signature) else { return false }
        return digestVerify(der, message, key.handle)
    }

    private static func digestSign(
        _ message: [UInt8], with key: PrivateKeyHandle
    ) throws(CryptographyFault) -> [UInt8] {
        let context = try OpenSSL.make("sign") { EVP_MD_CTX_new() }
        defer { EVP_MD_CTX_free(context) }
        try OpenSSL.check("sign") {
            EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.pointer)
        }
        var count = 0
        try OpenSSL.check("sign") {
            EVP_DigestSign(context, nil, &count, message, message.count)
        }
        var signature = [UInt8](repeating: 0, count: count)
        try OpenSSL.check("sign") {
            EVP_DigestSign(context, &signature, &count, message, message.count)
        }
        return Array(signature.prefix(count))
    }

    private static func digestVerify(
        _ signature: [UInt8], _ message: [UInt8], _ key: PrivateKeyHandle
    ) -> Bool {
        OpenSSL.attempt {
            guard let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.pointer) == 1
            else { return false }
            return EVP_DigestVerify(
                context, signature, signature.count, message, message.count) == 1
        }
    }

    private static func raw(fromDER der: [UInt8]) throws(CryptographyFault) -> [UInt8] {
        let signature: OpaquePointer = try der.withUnsafeBufferPointer {
            (buffer) throws(CryptographyFault) in
            var start = buffer.baseAddress
            return try OpenSSL.make("sign") { d2i_ECDSA_SIG(nil, &start, buffer.count) }
        }
        defer { ECDSA_SIG_free(signature) }
        var bytes = [UInt8](repeating: 0, count: 64)
        // BN_bn2bin would drop leading zeros, and one signature in 128 would be too short.
        let written = bytes.withUnsafeMutableBufferPointer { buffer -> Int32 in
            guard let start = buffer.baseAddress else { return -1 }
            return min(
                BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, 32),
                BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + 32, 32))
        }
        guard written == 32 else { throw CryptographyFault(operation: "sign", reason: "") }
        return bytes
    }

    private static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 64 else { return nil }
        return OpenSSL.attempt {
            guard let signature = ECDSA_SIG_new() else { return nil }
            defer { ECDSA_SIG_free(signature) }
            let r = BN_bin2bn(Array(raw[..<32]), 32, nil)
            let s = BN_bin2bn(Array(raw[32...]), 32, nil)
            // On success the signature owns both numbers.
            guard ECDSA_SIG_set0(signature, r, s) == 1 else {
                BN_free(r)
                BN_free(s)
                return nil
            }
            var start: UnsafeMutablePointer<UInt8>?
            let count = i2d_ECDSA_SIG(signature, &start)
            guard let start, count > 0 else { return nil }
            defer { CRYPTO_free(start, "", 0) }
            return Array(UnsafeBufferPointer(start: start, count: Int(count)))
        }
    }
}
