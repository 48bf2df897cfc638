public import JSON
public import Values

/// What signs a token, and thereby its algorithm.
public enum JWTKey: Sendable {
    /// ES256; the key must be on P-256.
    case es256(SigningKey)
    /// RS256; the key must be RSA.
    case rs256(SigningKey)
    /// HS256; whoever can verify can sign too.
    case hs256(Secret<[UInt8]>)

    var algorithm: String {
        switch self {
        case .es256: "ES256"
        case .rs256: "RS256"
        case .hs256: "HS256"
        }
    }
}

/// What verifies a token. The algorithm follows from it, never from the token, so that a public key
/// cannot be used as an HMAC's secret (RFC 8725 section 3.1).
public enum JWTVerifier: Sendable {
    /// ES256; with a key that is not on P-256 no signature is good.
    case es256(VerifyingKey)
    /// RS256; with a key that is not RSA no signature is good.
    case rs256(VerifyingKey)
    /// HS256, by the secret that signed.
    case hs256(Secret<[UInt8]>)

    var algorithm: String {
        switch self {
        case .es256: "ES256"
        case .rs256: "RS256"
        case .hs256: "HS256"
        }
    }
}

/// Why a text is not a token of this key.
public enum JWTFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not three parts of base64url with JSON objects in the first two.
    case malformed
    /// `alg` is absent or not that of the key.
    case wrongAlgorithm
    /// Another key, or changed since it was signed.
    case wrongSignature

    public var description: String {
        switch self {
        case .malformed: "the token is not a JWT"
        case .wrongAlgorithm: "the token names another algorithm"
        case .wrongSignature: "the token's signature is not good"
        }
    }
}

/// A JSON Web Token in compact form (RFC 7519, RFC 7515).
public struct JWT: Sendable, Equatable {
    /// Both as they were signed, `alg` included; what the claims say is the caller's to check.
    public let header: JSONObject
    public let claims: JSONObject

    /// - Parameter header: what stands in it beside `alg`, which comes first.
    /// - Throws: `CryptographyFault` when the library fails or the key is of another kind.
    public static func sign(
        header: JSONObject = JSONObject(), claims: JSONObject, key: JWTKey
    ) throws(CryptographyFault) -> Secret<String> {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("alg")
        writer.string(key.algorithm)
        for member in header {
            writer.key(member.key)
            writer.value(member.value)
        }
        writer.endObject()
        let input =
            "\(Base64URL.encode(writer.bytes)).\(Base64URL.encode(JSONValue.object(claims).encoded))"
        let signature = try signature(of: Array(input.utf8), with: key)
        return Secret("\(input).\(Base64URL.encode(signature))")
    }

    /// The token's header and claims, if this key has signed it. Times are the caller's to check.
    public static func verify(_ token: String, with key: JWTVerifier) throws(JWTFault) -> JWT {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        let jwt = try read(parts)
        guard jwt.header["alg"]?.text == key.algorithm else { throw .wrongAlgorithm }
        guard let signature = Base64URL.decode(parts[2]) else { throw .malformed }
        let input = Array("\(parts[0]).\(parts[1])".utf8)
        guard isGood(signature, of: input, key) else { throw .wrongSignature }
        return jwt
    }

    /// Reads without verifying, to learn which key to verify with. Nothing in it is to be believed.
    public static func unverified(_ token: String) throws(JWTFault) -> JWT {
        try read(token.split(separator: ".", omittingEmptySubsequences: false))
    }

    private static func read(_ parts: [Substring]) throws(JWTFault) -> JWT {
        guard parts.count == 3, let header = object(parts[0]), let claims = object(parts[1])
        else { throw .malformed }
        return JWT(header: header, claims: claims)
    }

    private static func object(_ part: Substring) -> JSONObject? {
        guard let bytes = Base64URL.decode(part) else { return nil }
        return (try? JSONValue.parse(bytes))?.object
    }

    private static func signature(
        of input: [UInt8], with key: JWTKey
    ) throws(CryptographyFault) -> [UInt8] {
        switch key {
        case .es256(let key) where key.kind == .p256, .rs256(let key) where key.kind == .rsa:
            try Signature.sign(input, with: key)
        case .es256, .rs256:
            throw CryptographyFault(operation: "sign", reason: "the key is of another kind")
        case .hs256(let secret): HMAC.sha256(key: secret.reveal(), data: input)
        }
    }

    private static func isGood(
        _ signature: [UInt8], of input: [UInt8], _ key: JWTVerifier
    ) -> Bool {
        switch key {
        case .es256(let key): key.kind == .p256 && Signature.verify(signature, of: input, with: key)
        case .rs256(let key): key.kind == .rsa && Signature.verify(signature, of: input, with: key)
        case .hs256(let secret):
            constantTimeEqual(HMAC.sha256(key: secret.reveal(), data: input), signature)
        }
    }
}
