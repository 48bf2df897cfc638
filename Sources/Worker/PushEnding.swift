package import Alerts
package import Jobs
package import Storage
package import Values

/// What becomes of a push job: one of four statements.
package enum PushEnding: Sendable {
    case ended(PushEnd)
    case again(Postponement)
    case buried(Burial)
    /// To another lane, as it is.
    case moved(HeldJob, LaneID)

    /// Whether the push is over without an acceptance.
    var isSilent: Bool {
        switch self {
        case .ended(let end): end.outcome != .accepted
        case .buried: true
        case .again, .moved: false
        }
    }
}

/// One push in flight, as far as its result needs it.
package struct FlyingPush: Sendable {
    package let job: ClaimedJob
    /// `apns` or `fcm`.
    let provider: String
    let registeredAt: Timestamp
    package let policy: RetryPolicy

    package init(
        job: ClaimedJob, provider: String, registeredAt: Timestamp, policy: RetryPolicy
    ) {
        self.job = job
        self.provider = provider
        self.registeredAt = registeredAt
        self.policy = policy
    }

    /// A pure function from the ruling to the statement.
    ///
    /// - Parameters:
    ///   - random: from 0 to 1.
    ///   - closedWait: what a push waits that goes back to a closed lane.
    package func ending(
        of ruling: ProviderGate.Ruling, random: Double, closedWait: Duration
    ) -> PushEnding {
        let heard = ruling.order
        if ruling.goesBack {
            return .again(
                Postponement(
                    job: job.held, wait: closedWait * (0.5 + random), countsAsAttempt: false,
                    reason: ruling.outcome.word?.reason))
        }
        switch ruling.outcome {
        case .accepted(let messageID):
            return .ended(
                end(
                    .accepted, status: 200, reason: nil, providerID: messageID,
                    attempt: Attempt(at: heard, status: 200, reason: nil).encoded))
        case .unregistered(let word, let fate):
            return .ended(
                end(
                    .rejected, status: word.status, reason: word.reason,
                    attempt: attempt(word, at: heard), device: change(fate, word)))
        case .retry(let word, let notBefore), .throttled(let word, let notBefore):
            return again(word, notBefore, ruling, random)
        case .credentialsRefused(let word, _), .targetRefused(let word), .requestRefused(let word):
            return buried(word, at: heard)
        }
    }

    private func again(
        _ word: ProviderWord, _ notBefore: ProviderWait?, _ ruling: ProviderGate.Ruling,
        _ random: Double
    ) -> PushEnding {
        let now = ruling.at
        let attempt = self.attempt(word, at: ruling.order)
        let next = NextAttempt.decide(
            attempts: job.attempts + 1, policy: policy, notBefore: notBefore?.duration, now: now,
            expiresAt: job.expiresAt, random: random)
        switch next {
        case .at(let time):
            return .again(
                Postponement(
                    job: job.held, wait: time - now, countsAsAttempt: true, reason: word.reason,
                    attempt: attempt))
        case .expired:
            return .ended(
                end(
                    .expired, status: word.status, reason: word.reason,
                    attempt: self.attempt(
                        word, at: ruling.order, retryAfter: fatalWait(notBefore?.asked, at: now))))
        case .dead:
            return buried(word, at: ruling.order)
        }
    }

    /// The wait that the provider asked for, in seconds, when that alone outlives the push.
    private func fatalWait(_ asked: Duration?, at now: Timestamp) -> Int64? {
        guard let asked, let end = job.expiresAt, now + asked >= end else { return nil }
        return asked.components.seconds
    }

    private func buried(_ word: ProviderWord, at now: Timestamp) -> PushEnding {
        .buried(
            Burial(
                job: job.held, reason: word.reason, countsAsAttempt: true,
                attempt: attempt(word, at: now)))
    }

    private func change(
        _ fate: ProviderOutcome.DeviceFate, _ word: ProviderWord
    ) -> PushEnd.DeviceChange {
        switch fate {
        case .delete:
            .delete(word: word.reason, registeredAt: registeredAt, deadSince: nil)
        case .keep: .note(word.reason)
        }
    }

    private func attempt(
        _ word: ProviderWord, at now: Timestamp, retryAfter: Int64? = nil
    ) -> [UInt8] {
        Attempt(
            at: now, status: word.status == 0 ? nil : word.status, reason: word.reason,
            retryAfter: retryAfter
        ).encoded
    }

    private func end(
        _ outcome: PushEnd.Outcome, status: Int, reason: String?, providerID: String? = nil,
        attempt: [UInt8], device: PushEnd.DeviceChange = .keep
    ) -> PushEnd {
        PushEnd(
            job: job.held, outcome: outcome, provider: provider,
            status: status == 0 ? nil : status, reason: reason, providerID: providerID,
            attempt: attempt, device: device)
    }
}

extension PushEnd {
    /// What was asked again at sending said no.
    static func suppressed(_ job: ClaimedJob, _ reason: Reason) -> PushEnd {
        PushEnd(job: job.held, outcome: .suppressed, reason: reason.rawValue)
    }

    /// Its life ended before it could start.
    package static func expired(_ job: ClaimedJob) -> PushEnd {
        PushEnd(job: job.held, outcome: .expired, reason: "expired")
    }
}
