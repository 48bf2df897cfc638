import Cryptography
import JSON
import Runtime
import Values

/// A provider token as it travels, and which one it is.
struct APNsToken: Sendable {
    /// The value of `authorization`.
    let bearer: Secret<String>
    /// Counted from 1.
    let number: Int
}

/// The one provider token of a route: signed once for all who send, kept for 40 minutes.
///
/// Apple refuses a token older than an hour, and a connection that changes its token more than once
/// in twenty minutes
/// (https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns).
final class APNsTokenSource: Sendable {
    static let life = Duration.seconds(40 * 60)
    /// Refused tokens are replaced at most this often; a provider that refuses the new one too
    /// means the key or our clock.
    static let patience = Duration.seconds(20 * 60)

    private struct State {
        var token: APNsToken?
        var signedAt = Timestamp(seconds: 0)
        var replacedAt: Timestamp?
    }

    private let credentials: APNsCredentials
    private let clock: PushClock
    private let metrics: PushMetrics
    private let state = Lock(State())

    init(_ credentials: APNsCredentials, clock: PushClock, metrics: PushMetrics) {
        self.credentials = credentials
        self.clock = clock
        self.metrics = metrics
    }

    /// The token to send with. Signing is a tenth of a millisecond of this thread, so that whoever
    /// comes meanwhile waits for the lock and finds it done.
    func current() throws(CryptographyFault) -> APNsToken {
        try state.withLock { state throws(CryptographyFault) in
            let now = clock.now()
            if let token = state.token, isFresh(state.signedAt, now) { return token }
            return try sign(&state, now)
        }
    }

    /// The token to repeat a push with, after the provider has called one expired: a new one for
    /// the first who asks, the same for all others.
    ///
    /// - Returns: nil if a refused token was replaced in the last twenty minutes already.
    func replacement(for number: Int) throws(CryptographyFault) -> APNsToken? {
        try state.withLock { state throws(CryptographyFault) in
            if let token = state.token, token.number > number { return token }
            let now = clock.now()
            if let last = state.replacedAt, last <= now, now - last < Self.patience { return nil }
            state.replacedAt = now
            return try sign(&state, now)
        }
    }

    /// A token from the future is one whose clock was set back: it would outlive its hour.
    private func isFresh(_ signedAt: Timestamp, _ now: Timestamp) -> Bool {
        now - signedAt < Self.life && signedAt - now < Self.patience
    }

    private func sign(
        _ state: inout State, _ now: Timestamp
    ) throws(CryptographyFault) -> APNsToken {
        let jwt = try JWT.sign(
            header: JSONObject([("kid", .text(credentials.keyID))]),
            claims: JSONObject([("iss", .text(credentials.teamID)), ("iat", .integer(now.seconds))]
            ),
            key: .es256(credentials.key))
        let token = APNsToken(
            bearer: Secret("bearer \(jwt.reveal())"), number: (state.token?.number ?? 0) + 1)
        state.token = token
        state.signedAt = now
        metrics.renewed("signed")
        return token
    }
}
