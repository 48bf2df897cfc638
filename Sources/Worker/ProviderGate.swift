package import Alerts

/// What one worker knows of one credential: failures in a row, mismatches in a row, and whether its
/// lanes are closed. A value; the deliverer keeps it behind a lock.
package struct ProviderGate: Sendable {
    package enum State: Sendable, Equatable {
        case open
        case broken
        case paused
    }

    /// What has to be written where all workers see it.
    package enum Edge: Sendable, Equatable {
        case breaks(reason: String)
        case pauses(reason: String)
        case closesBreaker
    }

    /// How one answer counts.
    package struct Ruling: Sendable, Equatable {
        /// The answer, with the device kept where the mismatch guard says so.
        package var outcome: ProviderOutcome
        /// The push goes back to its lane as if it had not been sent: lanes were closed for this
        /// very reason before the answer came, or it was a probe.
        package var goesBack: Bool
        package var edge: Edge?
    }

    package private(set) var state = State.open
    private var breaker = Breaker()
    private var mismatches = MismatchGuard()
    /// True from an edge until it stands in the database.
    private var isWriting = false
    /// True once this worker heard anything but failures.
    private var hasHeard = false
    /// Claims sent before this know nothing of the last edge.
    private var edgeAt: ContinuousClock.Instant?

    package init() {}

    /// Whether ordinary pushes may start.
    package var isOpen: Bool { state == .open }

    /// Takes in an answer.
    ///
    /// Each worker counts failures for itself, and an outage in a quiet hour has one job that fails
    /// here and there. So that it does not die of that, its own failures count with those of a worker
    /// that hears nothing else; and the answer that opens the breaker is never a job's last attempt.
    ///
    /// - Parameters:
    ///   - attempts: of the job before this one.
    ///   - limit: the attempts that a job has.
    package mutating func note(
        _ answer: ProviderOutcome, isProbe: Bool, attempts: Int = 0, limit: Int = .max
    ) -> Ruling {
        let (outcome, _) = mismatches.note(answer)
        var ruling = Ruling(outcome: outcome, goesBack: false, edge: nil)
        let before = state
        let hearsOnlyFailures = breaker.failures > 0 || !hasHeard
        let change = breaker.note(answer, known: hearsOnlyFailures ? attempts + 1 : 1)
        hasHeard = hasHeard || !answer.isFailure
        if outcome.isFailure {
            let isLast = change == .opened && attempts + 1 >= limit
            ruling.goesBack = isProbe || before == .broken || isLast
            if change == .opened, before == .open {
                state = .broken
                ruling.edge = .breaks(reason: outcome.word?.reason ?? "no_answer")
            }
        } else if let reason = pauseReason(outcome) {
            ruling.goesBack = before == .paused
            if before != .paused {
                state = .paused
                ruling.edge = .pauses(reason: reason)
            }
        } else if isProbe, before != .paused {
            // A probe comes only while the lanes are broken, though not always by this worker.
            state = .open
            ruling.edge = .closesBreaker
        } else if before == .broken {
            // An answer that was on its way when the breaker opened says nothing of now: the probe
            // closes it.
            breaker.follow(isOpen: true)
        }
        if ruling.edge != nil { isWriting = true }
        return ruling
    }

    /// Takes in how the lanes stand for a claim that was sent at `time`: other workers break, pause
    /// and open them too.
    package mutating func follow(isOpen: Bool, asOf time: ContinuousClock.Instant) {
        if isWriting { return }
        if let edgeAt, time <= edgeAt { return }
        if isOpen, state != .open {
            state = .open
            breaker.follow(isOpen: false)
        }
    }

    /// The edge is in the database now.
    package mutating func edgeWasWritten(at now: ContinuousClock.Instant) {
        isWriting = false
        edgeAt = now
    }

    private func pauseReason(_ outcome: ProviderOutcome) -> String? {
        if case .credentialsRefused(let word, _) = outcome { return word.reason }
        return outcome.isMismatch && mismatches.isTripped ? MismatchGuard.reason : nil
    }
}
