import Jobs
import Worker

/// Keeps its own account of what happens, from the acts and not from the table, and says what must
/// never be.
struct Oracle {
    /// How a job ended.
    enum End: Equatable { case accepted, rejected, expired, dead(exhausted: Bool), poison }

    private struct Account {
        var holder: LeaseID?
        var losses = 0
        var starts = 0
        var taken = 0
        /// Until when an answer to a send of it may come.
        var inFlightUntil: Int64 = .min
        var notBefore: Int64 = .min
        var counted = 0
        var retries = 0
        /// Failures that were written, whether they cost an attempt or not.
        var failures = 0
        var costs: [(outage: Int, cost: Int)] = []
        var end: End?
        let expiresAt: Int64
    }

    private var accounts: [Account] = []
    /// Claims of jobs that two workers or more had been lost with.
    private var suspects: Set<HeldJob> = []
    private(set) var violations: [String] = []
    private(set) var ends = 0
    /// When everybody was well again: from then on a takeover has a limit.
    var healedAt: Int64?
    mutating func added(expiresAt: Int64) { accounts.append(Account(expiresAt: expiresAt)) }

    private mutating func require(_ condition: Bool, _ words: @autoclosure () -> String) {
        if !condition { violations.append(words()) }
    }

    /// - Parameter from: when it could be taken, by its lease and its lane.
    mutating func claimed(
        _ job: Int, _ id: JobID, _ lease: LeaseID, isLoss: Bool, from: Int64, now: Int64
    ) {
        require(accounts[job].end == nil, "job \(job) was claimed after its end")
        if let healedAt {
            // What committed late is found by a full claim, two and a half seconds after the last
            // at most; of a single slot the first of them may take what is due, and then there is a
            // poll.
            let late = now - max(from, healedAt)
            require(
                late <= Clock.seconds(5.5),
                "job \(job) was taken \(late / 1000) ms after it could be")
        }
        accounts[job].holder = lease
        if isLoss { accounts[job].losses += 1 }
        if accounts[job].losses >= 2 { suspects.insert(HeldJob(id: id, lease: lease)) }
    }

    /// What a worker has in hand after a claim.
    mutating func holds(_ jobs: [HeldJob]) {
        let count = jobs.count { suspects.contains($0) }
        require(count <= 1, "\(count) jobs are in one hand with each of which workers died twice")
    }

    /// A broken lane was probed, with a job that lives or only with those past their life.
    mutating func probed(withOneThatLives: Bool, ofThose exist: Bool) {
        require(withOneThatLives || !exist, "a probe was spent on what is past its life")
    }

    mutating func started(_ job: Int, _ lease: LeaseID, now: Int64, until deadline: Int64) {
        let account = accounts[job]
        require(account.end == nil, "job \(job) was sent after its end")
        require(now < account.expiresAt, "job \(job) was sent after its life")
        require(account.holder == lease, "job \(job) was sent by one who does not hold it")
        require(account.inFlightUntil <= now, "job \(job) was sent while it was in flight")
        require(account.notBefore <= now, "job \(job) was sent before Retry-After")
        require(account.losses < Terms.losses, "job \(job) was sent though it is poison")
        require(account.counted < Terms.attempts, "job \(job) was sent a sixth time")
        accounts[job].starts += 1
        accounts[job].inFlightUntil = deadline
    }

    mutating func answered(_ job: Int, tookIt: Bool, now: Int64) {
        accounts[job].inFlightUntil = min(accounts[job].inFlightUntil, now)
        if tookIt { accounts[job].taken += 1 }
    }

    /// A write-back changed the row.
    mutating func wrote(_ landed: Landed, _ held: HeldJob, countsAsAttempt: Bool) {
        let job = landed.number
        require(
            accounts[job].holder == held.lease, "job \(job) was written by one who lost it")
        accounts[job].holder = nil
        if landed.isRetry { accounts[job].failures += 1 }
        if let time = landed.notBefore { accounts[job].notBefore = time }
        guard countsAsAttempt else { return }
        accounts[job].counted += 1
        if landed.isRetry { accounts[job].retries += 1 }
        require(
            accounts[job].counted <= accounts[job].starts,
            "job \(job) counts more attempts than requests")
        if let outage = landed.outage { cost(job, outage) }
    }

    /// An outage may cost a job three attempts, however many workers it meets.
    private mutating func cost(_ job: Int, _ outage: Int) {
        let index = accounts[job].costs.firstIndex { $0.outage == outage }
        if let index {
            accounts[job].costs[index].cost += 1
        } else {
            accounts[job].costs.append((outage, 1))
        }
        let cost = accounts[job].costs[index ?? accounts[job].costs.count - 1].cost
        require(cost <= 3, "an outage cost job \(job) \(cost) attempts")
    }

    mutating func ended(_ job: Int, _ end: End) {
        let account = accounts[job]
        require(account.end == nil, "job \(job) ended twice")
        switch end {
        case .accepted:
            require(account.taken >= 1, "job \(job) ended accepted, and nobody took it")
        case .dead(exhausted: true):
            require(
                account.counted == Terms.attempts && account.retries == Terms.attempts,
                "job \(job) died after \(account.counted) attempts")
        case .poison:
            require(
                account.losses >= Terms.losses, "job \(job) is poison after \(account.losses)")
        case .rejected, .expired, .dead(exhausted: false): break
        }
        accounts[job].end = end
        ends += 1
    }

    /// When all is over: whether each job ended, and what was taken twice had a reason.
    mutating func finish() {
        for (job, account) in accounts.enumerated() {
            require(account.end != nil, "job \(job) never ended")
            // Each send beyond the first whose acceptance was not heard was a loss or a failure.
            require(
                account.taken <= 1 + account.losses + account.failures,
                "job \(job) was taken \(account.taken) times")
        }
    }
}
