public import Cryptography
import HTTPServer
import Storage
public import Values

/// What a caller showed, so far only well-formed: the database says whose it is.
public struct PresentedToken: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case access
        case storeToken
    }

    public let kind: Kind
    /// What is stored in the place of the token.
    public let hash: [UInt8]

    var entry: Entry.Credential {
        switch kind {
        case .access: .accessToken(hash)
        case .storeToken: .apiToken(hash)
        }
    }
}

/// The forms of the tokens, and the keyed hash under which they are stored.
///
/// The checksum in a token makes a mistyped or made-up one cost no query.
public struct Tokens: Sendable {
    /// A person's access token: short-lived, one of a session.
    public static let access = TokenFormat(prefix: "at")
    /// A person's refresh token.
    public static let refresh = TokenFormat(prefix: "rt")
    /// A link to accept an invitation or to set a new password.
    public static let link = TokenFormat(prefix: "ln")
    /// A store's API token.
    public static let store = TokenFormat.storeAPI

    private let key: [UInt8]

    public init(secret: Secret<String>) {
        key = HMAC.sha256(key: Array(secret.reveal().utf8), data: Array("token".utf8))
    }

    /// 32 bytes. Prefixes keep tokens of different kinds apart.
    public func hash(_ token: String) -> [UInt8] {
        HMAC.sha256(key: key, data: Array(token.utf8))
    }

    /// The credential of a request.
    ///
    /// - Throws: 401 when there is none or it is none of ours.
    func credential(of request: HTTPRequest) throws(Problem) -> PresentedToken {
        let values = request.headers.values("Authorization")
        guard values.count == 1, let token = Self.bearer(values[0]) else {
            throw Problem(.unauthenticated)
        }
        if Self.access.check(token) { return PresentedToken(kind: .access, hash: hash(token)) }
        if Self.store.check(token) { return PresentedToken(kind: .storeToken, hash: hash(token)) }
        throw Problem(.unauthenticated)
    }

    /// The token behind the scheme, which is written in any case (RFC 9110 section 11.1).
    static func bearer(_ header: String) -> String? {
        let parts = header.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }
}
