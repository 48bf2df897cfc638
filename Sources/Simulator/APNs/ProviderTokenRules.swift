import Cryptography
import JSON
import Runtime
import Values

/// What the token of a request says, once its signature was found good.
struct ProviderToken: Sendable, Equatable {
    let text: String
    let issuedAt: Int64
}

/// Judges the JWT in `authorization`. A token is verified once: later requests repeat it.
final class ProviderTokenRules: Sendable {
    private static let lifetime: Int64 = 3600

    private let key: VerifyingKey
    private let keyID: String
    private let teamID: String
    private let known = Lock<[String: ProviderToken]>([:])

    init(_ credentials: SimulatorCredentials) {
        key = credentials.apnsKey.verifyingKey
        keyID = credentials.apnsKeyID
        teamID = credentials.apnsTeamID
    }

    /// The token of the header, or what APNs says of it. Age is judged apart, for it changes.
    func read(_ authorization: String?) -> Result<ProviderToken, ProviderTokenFault> {
        guard let authorization, !authorization.isEmpty else { return .failure(.missing) }
        guard authorization.count > 7, authorization.prefix(7).lowercased() == "bearer " else {
            return .failure(.invalid)
        }
        let text = String(authorization.dropFirst(7))
        if let token = known.withLock({ $0[text] }) { return .success(token) }
        guard let token = verify(text) else { return .failure(.invalid) }
        known.withLock { known in
            if known.count >= 1000 { known = [:] }
            known[text] = token
        }
        return .success(token)
    }

    func isTooOld(_ token: ProviderToken, at now: Timestamp) -> Bool {
        token.issuedAt < now.seconds - Self.lifetime
    }

    /// Whether it claims to be issued more than an hour ahead.
    func isFromTheFuture(_ token: ProviderToken, at now: Timestamp) -> Bool {
        token.issuedAt > now.seconds + Self.lifetime
    }

    private func verify(_ text: String) -> ProviderToken? {
        guard let jwt = try? JWT.verify(text, with: .es256(key)),
            jwt.header["kid"]?.text == keyID, jwt.claims["iss"]?.text == teamID,
            let issuedAt = jwt.claims["iat"]?.integer
                // APNSwift sends a text, and is in wide use.
                ?? jwt.claims["iat"]?.text.flatMap({ Int64($0) })
        else { return nil }
        return ProviderToken(text: text, issuedAt: issuedAt)
    }
}

enum ProviderTokenFault: Error {
    case missing
    case invalid
}
