import Alerts
import Jobs
import Runtime
import Storage
import Values
import Worker

/// One run: workers, a table, a provider and a seed that says what happens in which order, however
/// unlikely, and after that a time in which all is well and everything must come to its end.
public struct Schedule {
    let mutant: Mutant?
    var random: SeededRandom
    var now: Int64 = 0
    var table: ModelTable
    var provider = ModelProvider()
    var workers: [ModelWorker]
    var oracle: Oracle
    private var slots: Int
    private var steps: Int
    /// A third of them are calm: mostly workers finish their rounds, so that a job comes far.
    private let isCalm: Bool
    private var toAdd: Int
    private var added = 0
    private var leases: UInt64 = 0
    /// Told how things stand after every step, for one who wants to know how a schedule went wrong.
    public var trace: (@Sendable (String) -> Void)?

    public init(seed: UInt64, mutant: Mutant? = nil) {
        self.mutant = mutant
        random = SeededRandom(seed: seed)
        table = ModelTable(mutant: mutant)
        workers = (0..<1 + random.below(5)).map { _ in ModelWorker() }
        oracle = Oracle()
        slots = 2 + random.below(4)
        isCalm = random.chance(3)
        steps = isCalm ? 15 + random.below(35) : 40 + random.below(100)
        toAdd = 1 + random.below(6)
        for _ in 0...random.below(toAdd) { add() }
    }

    /// Runs it to its end.
    ///
    /// - Returns: what was broken, in the order in which it happened; empty when all held.
    public mutating func run() -> [String] {
        for _ in 0..<steps where oracle.violations.isEmpty {
            step()
            trace?(picture)
        }
        heal()
        oracle.finish()
        return oracle.violations
    }

    // MARK: - What may happen

    private mutating func step() {
        let worker = random.below(workers.count)
        if isCalm, !random.chance(4), !workers[worker].isFrozen(now) {
            round(worker)
            settle(worker)
            return advance(time(6000))
        }
        let act = random.below(100)
        switch act {
        case 80..<93: advance(random.chance(6) ? 5_000_000 + time(40_000) : time(2000))
        case 96..<98: provider.change(&random, jobs: added)
        case 98: add()
        case _ where workers[worker].isFrozen(now): break
        case 0..<24: round(worker)
        case 24..<40: start(worker)
        case 40..<62: answer(worker)
        case 62..<75: write(worker)
        case 75..<80: writeEdges(worker)
        case 93: crash(worker)
        case 94: workers[worker].frozenUntil = now + time(60_000)
        case 95: workers[worker].isStopping = true
        default: break
        }
    }

    private mutating func time(_ milliseconds: Int) -> Int64 {
        Int64(1 + random.below(milliseconds)) * 1000
    }

    /// Another job; now and then one that took its tag early and is committed late.
    private mutating func add() {
        guard added < toAdd else { return }
        let number = added
        added += 1
        let life = random.chance(4) ? 10 + random.below(60) : 3600
        let expiresAt = now + Clock.seconds(Double(life))
        table.rows.append(
            ModelTable.Row(
                number: number, id: JobID(UUID(high: 1, low: UInt64(number))),
                lane: LaneID(random.chance(3) ? 2 : 1),
                tag: Int64(1000 + number * 10) - (random.chance(5) ? 300 : 0),
                expiresAt: expiresAt))
        oracle.added(expiresAt: expiresAt)
    }

    /// Time passes; who waits for an answer too long hears none.
    private mutating func advance(_ step: Int64) {
        now += step
        for index in workers.indices where !workers[index].isFrozen(now) {
            while let late = workers[index].flights.firstIndex(where: { $0.deadline <= now }) {
                let flight = workers[index].flights.remove(at: late)
                // The provider may have it all the same.
                oracle.answered(
                    flight.number, tookIt: provider.mood != .down && random.chance(2),
                    now: flight.deadline)
                land(index, flight, .noAnswer("timeout"))
            }
        }
    }

    // MARK: - A worker's acts

    private mutating func round(_ index: Int) {
        if workers[index].isStopping { return restartWhenIdle(index) }
        let free = slots - workers[index].inHand
        guard free > 0 else { return }
        let instant = Clock.instant(now)
        let requests = workers[index].rounds.requests(
            JobRoom(jobs: free), takesSuspect: !workers[index].jobs.contains(where: \.isSuspect),
            at: instant)
        let claim = table.claim(requests, lease: lease(), now: now, &oracle)
        workers[index].rounds.learn(
            claim, of: requests, in: JobRoom(jobs: free), at: instant, jitter: random.fraction())
        let isOpen = workers[index].rounds.closed.isEmpty
        workers[index].gate.follow(
            isOpen: isOpen, since: claim.lanes.values.compactMap(\.openSince).max(),
            asOf: instant)
        hold(index, claim, isProbe: false)
        if !isOpen { attend(index) }
    }

    private mutating func attend(_ index: Int) {
        let lanes = ModelWorker.lanes.map(\.id)
        if let claim = table.claimProbe(
            lanes: lanes, lease: lease(),
            takesSuspect: !workers[index].jobs.contains(where: \.isSuspect), now: now, &oracle)
        {
            hold(index, claim, isProbe: true)
        } else if table.takePauseProbe(now: now), provider.mood != .refusing,
            provider.mood != .down
        {
            table.openLanes(from: .paused, heard: now, now: now)
        }
    }

    private mutating func hold(_ index: Int, _ claim: Claim, isProbe: Bool) {
        var jobs: [ClaimedJob] = []
        for job in claim.jobs {
            if job.losses >= Terms.losses {
                if let row = table.remove(job.held) { oracle.ended(row.number, .poison) }
            } else {
                jobs.append(job)
            }
        }
        guard !jobs.isEmpty else { return }
        workers[index].batches.append(
            ModelWorker.Held(
                batch: JobBatch(
                    jobs: jobs, leaseEnds: claim.leaseEnds, clock: claim.clock, isProbe: isProbe),
                leaseEnds: now + Terms.leaseTime, claimedAt: now))
        oracle.holds(workers[index].jobs.map(\.held))
    }

    /// Starts what was claimed first, or gives it back.
    private mutating func start(_ index: Int) {
        guard !workers[index].batches.isEmpty else { return }
        let held = workers[index].batches.removeFirst()
        let deadline = now + Terms.providerTimeout
        let outlasts = Deadline(Clock.instant(deadline)) < held.batch.leaseEnds
        let mayStart =
            !workers[index].isStopping && (outlasts || mutant == .startsOnShortLease)
            && (held.batch.isProbe || workers[index].gate.isOpen)
        for job in held.batch.jobs {
            let number = Int(job.id.uuid.low)
            let flying = FlyingPush(
                job: job, provider: "apns", registeredAt: Clock.timestamp(0),
                policy: RetryPolicy())
            if let expiresAt = job.expiresAt, Clock.time(expiresAt) <= now,
                mutant != .ignoresExpiry
            {
                add(index, .ended(.expired(job)), job, held.leaseEnds)
            } else if mayStart {
                oracle.started(number, job.lease, now: now, until: deadline)
                workers[index].flights.append(
                    Flight(
                        push: flying, number: number, startedAt: now, deadline: deadline,
                        leaseEnds: held.leaseEnds, isProbe: held.batch.isProbe,
                        outage: provider.outage))
            } else {
                let back = Postponement(
                    job: job.held, wait: .zero,
                    countsAsAttempt: mutant == .giveBackCostsAttempt)
                add(index, .again(back), job, held.leaseEnds)
            }
        }
    }

    private mutating func add(
        _ index: Int, _ ending: PushEnding, _ job: ClaimedJob, _ leaseEnds: Int64
    ) {
        workers[index].landed.append(
            Landed(ending: ending, job: job, leaseEnds: leaseEnds))
    }

    private mutating func answer(_ index: Int) {
        guard !workers[index].flights.isEmpty else { return }
        let flight = workers[index].flights.remove(at: random.below(workers[index].flights.count))
        let (heard, tookIt) = provider.answer(flight.number, &random)
        oracle.answered(flight.number, tookIt: tookIt, now: now)
        land(index, flight, heard)
    }

    private mutating func land(_ index: Int, _ flight: Flight, _ outcome: ProviderOutcome) {
        // No two answers come at the same time.
        now += 1
        var ruling = workers[index].gate.note(
            outcome, isProbe: flight.isProbe,
            tries: mutant == .breakerForgets ? [] : flight.push.job.tries,
            at: Clock.timestamp(now))
        if let edge = ruling.edge { workers[index].edges.append((edge, now)) }
        if mutant == .breakerCostsAttempts { ruling.goesBack = false }
        if mutant == .ignoresRetryAfter { ruling.outcome = outcome.withoutNotBefore }
        let ending = flight.push.ending(
            of: ruling, random: random.fraction(), closedWait: Terms.probe)
        var landed = Landed(
            ending: ending, job: flight.push.job, leaseEnds: flight.leaseEnds)
        landed.isRetry = outcome.isAgain
        if outcome.isFailure, let outage = flight.outage, outage == provider.outage {
            landed.outage = outage
        }
        if !ruling.goesBack, outcome.isAgain {
            landed.notBefore = outcome.notBefore.map { now + $0.microseconds }
        }
        workers[index].landed.append(landed)
    }

    private mutating func write(_ index: Int) {
        let landed = workers[index].landed
        workers[index].landed = []
        for result in landed {
            // Past its lease a write is not tried any more, but one may be on its way.
            if result.leaseEnds <= now, random.chance(2) { continue }
            apply(result)
        }
    }

    private mutating func apply(_ landed: Landed) {
        switch landed.ending {
        case .again(let postponement):
            if table.postpone(postponement, now: now) {
                oracle.wrote(
                    landed, postponement.job, countsAsAttempt: postponement.countsAsAttempt)
            }
        case .ended(let end):
            guard let row = table.remove(end.job) else { return }
            oracle.wrote(landed, end.job, countsAsAttempt: end.attempt != nil)
            oracle.ended(row.number, Oracle.End(end.outcome))
        case .buried(let burial):
            guard let row = table.remove(burial.job) else { return }
            oracle.wrote(landed, burial.job, countsAsAttempt: burial.countsAsAttempt)
            oracle.ended(row.number, .dead(exhausted: landed.isRetry))
        case .moved: break
        }
    }

    private mutating func writeEdges(_ index: Int) {
        guard !workers[index].edges.isEmpty else { return }
        for (edge, heard) in workers[index].edges {
            switch edge {
            case .breaks: table.breakLanes(now: now)
            case .pauses: table.pauseLanes(now: now)
            case .closesBreaker: table.openLanes(from: .broken, heard: heard, now: now)
            }
        }
        workers[index].edges = []
        workers[index].gate.edgeWasWritten(at: Clock.instant(now))
    }

    /// The process dies, and another takes its place.
    private mutating func crash(_ index: Int) {
        for flight in workers[index].flights {
            let (_, tookIt) = provider.answer(flight.number, &random)
            oracle.answered(flight.number, tookIt: tookIt, now: now)
        }
        workers[index] = ModelWorker()
    }

    private mutating func restartWhenIdle(_ index: Int) {
        if workers[index].inHand == 0, workers[index].edges.isEmpty {
            workers[index] = ModelWorker()
        }
    }

    private mutating func lease() -> LeaseID {
        leases += 1
        return LeaseID(UUID(high: 2, low: leases))
    }

    // MARK: - The end

    /// Everybody is well: the provider answers, nobody is stopped, and time passes until no job is
    /// left. More than that no job may need.
    private mutating func heal() {
        provider.turn(to: .well)
        while added < toAdd { add() }
        for index in workers.indices { workers[index].frozenUntil = 0 }
        advance(1000)
        for index in workers.indices { settle(index) }
        oracle.healedAt = now
        for _ in 0..<2000 where !table.rows.isEmpty && oracle.violations.isEmpty {
            for index in workers.indices {
                round(index)
                settle(index)
            }
            trace?(picture)
            advance(quiet)
        }
    }

    private var picture: String {
        let rows = table.rows.map { row in
            let wait = row.wakeAt.map { "\($0 / 1000)" } ?? "ready"
            return "\(row.number):\(row.lane)@\(wait)\(row.lease == nil ? "" : " held")"
                + " \(row.attempts)/\(row.losses)"
        }
        let hands = workers.map { "\($0.gate.state) \($0.inHand)" }
        return "\(now / 1000) ms \(provider.mood) \(table.word) jobs \(rows) workers \(hands)"
    }

    /// How long nothing can happen: a poll while something is due, else until something is.
    private var quiet: Int64 {
        let isDue = table.word == .open && table.rows.contains { ($0.wakeAt ?? now) <= now }
        if isDue { return 250_000 }
        let times = table.rows.compactMap(\.wakeAt) + [table.nextProbeAt ?? .max]
        let next = times.filter { $0 > now }.min() ?? now
        return max(250_000, min(next - now, 900_000_000))
    }

    private mutating func settle(_ index: Int) {
        while !workers[index].batches.isEmpty { start(index) }
        while !workers[index].flights.isEmpty { answer(index) }
        write(index)
        writeEdges(index)
    }
}
