/// What holds for all jobs of one kind: how often they are tried, and how long between.
public struct JobPolicy: Sendable {
    /// Attempts until the dead letter.
    public var attempts: Int
    /// Leases that may run out until the job is buried as `poison`.
    public var losses: Int
    /// The wait before the attempt after `attempt` (1 for the first), given a random number in
    /// 0..<1.
    public var backoff: @Sendable (_ attempt: Int, _ random: Double) -> Duration

    public init(
        attempts: Int = 5, losses: Int = 5,
        backoff: @escaping @Sendable (_ attempt: Int, _ random: Double) -> Duration
    ) {
        self.attempts = attempts
        self.losses = losses
        self.backoff = backoff
    }
}

/// How one claimed job ended, for handlers whose results need nothing but the jobs table.
public enum JobVerdict: Sendable {
    /// Done: the row goes.
    case done
    /// Failed: an attempt is counted and the job waits by its policy, or is buried at the last.
    case retry(reason: String)
    /// Not now: it waits and no attempt is counted.
    case snooze(Duration)
    /// Never: it goes to the dead letter. The attempt that buries counts, unless there was none.
    case bury(reason: String, countsAsAttempt: Bool = true)
    /// The write-back has happened already, in a transaction of the handler's own.
    case written
}
