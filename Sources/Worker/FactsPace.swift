import Runtime

/// How many pushes the next claims of a credential may take, so that their facts are read before
/// they are too old. A value.
///
/// What came too late goes back. Claimed again in the same number, at a database that is busy, it
/// would be too late again, for ever.
struct FactsPace: Sendable {
    /// What one claim may take.
    private(set) var limit: Int
    private let most: Int
    private var restsUntil: ContinuousClock.Instant?

    /// - Parameter most: of one claim.
    init(most: Int) {
        self.most = max(1, most)
        limit = self.most
    }

    /// What a claim may take now; none while the database is to have a rest.
    func room(at now: ContinuousClock.Instant) -> Int {
        if let restsUntil, now < restsUntil { return 0 }
        return limit
    }

    /// The facts of so many pushes came too late: half of them next time, a little later.
    mutating func late(_ count: Int, restUntil time: ContinuousClock.Instant) {
        limit = max(1, min(limit, count / 2))
        restsUntil = time
    }

    /// The facts of so many came in time. Twice as many next time, if these were what it might
    /// take.
    mutating func inTime(_ count: Int) {
        if count >= limit { limit = min(most, limit * 2) }
    }
}
