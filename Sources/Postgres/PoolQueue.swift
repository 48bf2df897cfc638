import Runtime

/// Work that waits for a connection.
struct PoolJob: Sendable {
    let deadline: Deadline
    let since: ContinuousClock.Instant
    private let body: @Sendable (Result<Connection, PostgresError>, () -> Void) -> Void

    /// - Parameter body: works with the connection, calls what it is given beside it, and only then
    ///   tells whoever waits.
    init(
        deadline: Deadline,
        _ body: @escaping @Sendable (Result<Connection, PostgresError>, () -> Void) -> Void
    ) {
        self.deadline = deadline
        since = .now
        self.body = body
    }

    /// Called exactly once: on a connection's thread, or with why there is none.
    ///
    /// - Parameter settle: called when the work is done and before anybody hears of it, so that
    ///   whoever asks again meets the pool as the work left it.
    func run(_ connection: Result<Connection, PostgresError>, then settle: () -> Void = {}) {
        body(connection, settle)
    }
}

/// First come, first served.
struct PoolQueue {
    private var jobs: [PoolJob] = []
    private var head = 0

    var count: Int { jobs.count - head }
    var isEmpty: Bool { count == 0 }
    var earliestDeadline: Deadline? { jobs[head...].map(\.deadline).min() }

    mutating func append(_ job: PoolJob) { jobs.append(job) }

    /// Gives a job that was taken its place back.
    mutating func putBack(_ job: PoolJob) {
        if head > 0 {
            head -= 1
            jobs[head] = job
        } else {
            jobs.insert(job, at: 0)
        }
    }

    mutating func takeFirst() -> PoolJob? {
        guard head < jobs.count else { return nil }
        let job = jobs[head]
        head += 1
        if head == jobs.count || head > 256 {
            jobs.removeFirst(head)
            head = 0
        }
        return job
    }

    mutating func takeAll(where isWanted: (PoolJob) -> Bool) -> [PoolJob] {
        // One look at each: a deadline that passes between two would lose the job.
        var taken: [PoolJob] = []
        var left: [PoolJob] = []
        for job in jobs[head...] {
            if isWanted(job) { taken.append(job) } else { left.append(job) }
        }
        jobs = left
        head = 0
        return taken
    }
}
