import Cryptography
import Runtime
import Values

/// The access tokens that the token endpoint has given out, with the second in which they end.
final class AccessTokens: Sendable {
    private let tokens = Lock<[String: Int64]>([:])
    private let seconds: Int64

    init(seconds: Int64) {
        self.seconds = seconds
    }

    func issue(at now: Timestamp) -> String {
        let token = "ya29.simulator." + Base64URL.encode(SecureRandom.bytes(48))
        tokens.withLock { tokens in
            tokens = tokens.filter { $0.value > now.seconds }
            tokens[token] = now.seconds + seconds
        }
        return token
    }

    /// Whether the field's value is `Bearer` and a token that has not ended.
    func accepts(_ authorization: String?, at now: Timestamp) -> Bool {
        guard let authorization, authorization.prefix(7).lowercased() == "bearer " else {
            return false
        }
        let token = String(authorization.dropFirst(7))
        return tokens.withLock { $0[token] }.map { $0 > now.seconds } ?? false
    }

    /// Makes all of them worthless.
    func revoke() { tokens.withLock { $0 = [:] } }
}
