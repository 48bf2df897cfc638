import Values

/// What APNs remembers of one connection: whose token it saw, and since when.
struct APNsConnection: Sendable {
    private static let updateGap: Int64 = 20 * 60

    private var token: ProviderToken?
    private var since: Int64 = 0
    /// It saw a token that was too old: senders find that such a connection takes no other.
    private var isWedged = false
    private(set) var isProven = false

    /// Judges a request's token in the light of those before it on this connection.
    ///
    /// - Returns: nil when it is good; `isProven` is true from then on.
    mutating func judge(
        _ read: Result<ProviderToken, ProviderTokenFault>, _ rules: ProviderTokenRules,
        at now: Timestamp
    ) -> APNsVerdict? {
        let presented: ProviderToken
        switch read {
        case .failure(.missing): return .refused("MissingProviderToken")
        case .failure(.invalid): return .refused("InvalidProviderToken")
        case .success(let token): presented = token
        }
        guard !isWedged, !rules.isTooOld(presented, at: now) else {
            isWedged = true
            return .refused("ExpiredProviderToken")
        }
        guard !rules.isFromTheFuture(presented, at: now) else {
            return .refused("InvalidProviderToken")
        }
        if let token, token.text != presented.text, now.seconds - since < Self.updateGap {
            return .refused("TooManyProviderTokenUpdates")
        }
        if token?.text != presented.text {
            token = presented
            since = now.seconds
        }
        isProven = true
        return nil
    }
}
