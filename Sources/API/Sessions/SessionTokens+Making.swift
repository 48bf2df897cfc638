import Cryptography
import Storage
import Values

/// The pair of tokens that a session is given.
struct TokenPair: Sendable {
    let access: Secret<String>
    let refresh: Secret<String>
    let kept: SessionTokens
}

extension Tokens {
    /// A pair for a session; only the hashes of it are kept.
    func pair(refresh: Secret<String>, lives: SessionLives) -> TokenPair {
        let access = Tokens.access.make()
        return TokenPair(
            access: access, refresh: refresh,
            kept: SessionTokens(
                refreshHash: hash(refresh.reveal()), accessHash: hash(access.reveal()),
                accessLife: lives.access, sessionLife: lives.session))
    }

    /// The one token that follows another in a session. It is derived and not drawn, so that
    /// parallel calls, and a call whose answer was lost, all get the same.
    func successor(
        of predecessor: String, session: SessionID, generation: Int
    ) -> Secret<String> {
        let seed = "refresh \(session) \(generation) \(predecessor)"
        return Tokens.refresh.make(from: hash(seed))
    }
}
