package import Alerts
package import Jobs
package import Values

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
        /// When it was heard, in the database's time: what waits and lives are judged by.
        package let at: Timestamp
        /// The same as it is remembered: later than that of every ruling before, by a little, where
        /// the clocks of two batches differ.
        package let order: Timestamp
    }

    package private(set) var state = State.open
    private var breaker = Breaker()
    private var mismatches = MismatchGuard()
    /// True from an edge until it stands in the database.
    private var isWriting = false
    /// When anything but a failure was heard last: here, and by the worker that opened the lanes.
    private var lastOther: Timestamp?
    private var lastOpened: Timestamp?
    private var lastTime: Timestamp?
    /// Claims sent before this know nothing of the last edge.
    private var edgeAt: ContinuousClock.Instant?

    /// What clocks of two batches may differ by, which is what their claims took. A time that lies
    /// further ahead was remembered while the database's clock was wrong, and says nothing.
    private static let slack = Duration.seconds(10)

    package init() {}

    /// Whether ordinary pushes may start.
    package var isOpen: Bool { state == .open }

    /// Takes in an answer.
    ///
    /// Each worker counts failures for itself, and an outage in a quiet hour has one job that fails
    /// here and there. So those of the job's own failures count with this one that came after the
    /// last other answer which this worker knows of: nothing was heard between. A job that has
    /// three of them goes back as it was, so that no outage costs it more.
    ///
    /// - Parameters:
    ///   - tries: of the job before this one.
    ///   - time: when the answer was heard, in the database's time.
    package mutating func note(
        _ answer: ProviderOutcome, isProbe: Bool, tries: [Attempt] = [], at time: Timestamp
    ) -> Ruling {
        let order = tick(time)
        let (outcome, _) = mismatches.note(answer)
        var ruling = Ruling(outcome: outcome, goesBack: false, edge: nil, at: time, order: order)
        let before = state
        let known = failuresInRow(of: tries, at: time)
        let change = breaker.note(answer, known: known + 1)
        if !answer.isFailure { lastOther = order }
        if outcome.isFailure {
            ruling.goesBack = isProbe || before == .broken || known >= Breaker.threshold
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
    ///
    /// - Parameter openSince: when they were last opened, since the provider had answered somebody.
    package mutating func follow(
        isOpen: Bool, since openSince: Timestamp?, asOf time: ContinuousClock.Instant
    ) {
        if let openSince { lastOpened = openSince }
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

    /// Answers have an order here, though the clocks of two batches may differ. It goes back with a
    /// clock that was far ahead: else all answers would be dated by that until it is reached.
    private mutating func tick(_ time: Timestamp) -> Timestamp {
        let last = lastTime.flatMap { $0 > time + Self.slack ? nil : $0 }
        let now = last.map { max(time, $0 + .microseconds(1)) } ?? time
        lastTime = now
        return now
    }

    /// How many failures stand at the end of the tries without another answer after the first.
    private func failuresInRow(of tries: [Attempt], at now: Timestamp) -> Int {
        let limit = now + Self.slack
        let other = [lastOther, lastOpened].compactMap { $0 }.filter { $0 <= limit }.max()
        return tries.reversed().prefix { attempt in
            attempt.isFailure && attempt.at <= limit && other.map { attempt.at >= $0 } ?? true
        }.count
    }

    private func pauseReason(_ outcome: ProviderOutcome) -> String? {
        if case .credentialsRefused(let word, _) = outcome { return word.reason }
        return outcome.isMismatch && mismatches.isTripped ? MismatchGuard.reason : nil
    }
}

extension Attempt {
    /// Of the tries of a job that lives all were failures but those that were too fast: a provider
    /// that says 429 is there. What the token's endpoint says is a failure of the way to it.
    fileprivate var isFailure: Bool {
        status != 429 || reason?.hasPrefix("token_") == true
    }
}
