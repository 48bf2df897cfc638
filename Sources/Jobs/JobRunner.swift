import Postgres
public import Runtime
import Values

/// Claims jobs of some lanes, hands them to a handler, and never holds more than it has slots for.
///
/// It wakes by its bell (rung in memory or by the listener) and, whatever happens to those, by its
/// poll. When the process is asked to end it claims nothing more and waits for what is in hand.
public struct JobRunner: Service {
    public struct Configuration: Sendable {
        /// Jobs in hand at most.
        public var slots: Int
        /// Jobs of one claim at most.
        public var batch: Int
        public var lease: Duration
        public var poll: Duration
        /// Between probes of a broken credential.
        public var probeInterval: Duration
        /// The first wait before a paused credential is probed; it doubles up to `pauseCap`.
        public var pauseBase: Duration
        public var pauseCap: Duration
        public var policy: JobPolicy
        /// What one store that floods leaves to the others; nil to serve all as they come.
        package var courtesy: Courtesy?

        public init(
            slots: Int, batch: Int = 200, lease: Duration = .seconds(30),
            poll: Duration = .seconds(1), probeInterval: Duration = .seconds(5),
            pauseBase: Duration = .seconds(60), pauseCap: Duration = .seconds(900),
            policy: JobPolicy
        ) {
            self.slots = slots
            self.batch = batch
            self.lease = lease
            self.poll = poll
            self.probeInterval = probeInterval
            self.pauseBase = pauseBase
            self.pauseCap = pauseCap
            self.policy = policy
        }
    }

    public let name: String
    public let bell: JobBell
    let queue: JobQueue
    let lanes: [Lane]
    let configuration: Configuration
    let handler: any JobHandler
    let capacity: @Sendable () -> Int
    let log: Log
    let metrics: JobMetrics
    let slots: JobSlots
    private let courtesy: Lock<Courtesy>?

    /// - Parameter room: what the handler can start now, as free streams of a provider; asked
    ///   before each claim.
    public init(
        name: String, queue: JobQueue, lanes: [Lane], configuration: Configuration,
        handler: any JobHandler, bell: JobBell = JobBell(), log: Log, metrics: Metrics,
        room: @escaping @Sendable () -> Int = { .max }
    ) {
        self.name = name
        self.queue = queue
        self.lanes = lanes
        self.configuration = configuration
        self.handler = handler
        self.bell = bell
        capacity = room
        self.log = log.with(["runner": .text(name)])
        self.metrics = JobMetrics(metrics)
        courtesy = configuration.courtesy.map { Lock($0) }
        slots = JobSlots(
            total: configuration.slots,
            ringsFrom: Self.worthwhile(configuration), bell: bell)
    }

    /// A claim for fewer than this waits a moment for more slots to come free.
    static func worthwhile(_ configuration: Configuration) -> Int {
        max(1, min(configuration.batch, configuration.slots) / 4)
    }

    public func run(until shutdown: Shutdown) async throws {
        shutdown.onBegin { [bell] in bell.ring() }
        let desk = JobDesk(
            queue: queue, log: log, metrics: metrics, slots: slots, shutdown: shutdown)
        var state = RunnerState(lanes: lanes)
        await withDiscardingTaskGroup { group in
            while !shutdown.hasBegun {
                let (batches, poison) = await round(&state, shutdown)
                for batch in poison {
                    group.addTask { await bury(batch, desk) }
                }
                for batch in batches {
                    slots.take(batch.jobs)
                    metrics.inHand.set(Double(slots.taken), name)
                    // Before the next claim, which asks for the courtesy.
                    let turn = begin(batch, in: state.room)
                    var batch = batch
                    batch.flood = turn?.flood
                    group.addTask { [batch, handler] in
                        await handler.work(batch, desk: desk)
                        if let turn { end(turn) }
                    }
                }
                if !state.hasMore { await bell.wait(until: nextPoll(state)) }
            }
        }
        await slots.waitUntilIdle()
    }

    private func begin(_ batch: JobBatch, in room: JobRoom?) -> Courtesy.Turn? {
        courtesy?.withLock {
            $0.begin(
                batch.jobs.map(\.store), claimedAt: batch.claimedAt,
                in: batch.isProbe ? nil : room, at: .now)
        }
    }

    /// Wakes the loop, which in a flood waits for this.
    private func end(_ turn: Courtesy.Turn) {
        let now = ContinuousClock.now
        let isFlooded = courtesy?.withLock { courtesy in
            courtesy.end(turn, at: now)
            return courtesy.flood(at: now) != nil
        }
        if turn.flood != nil || isFlooded == true { bell.ring() }
    }

    /// One round: a claim over all lanes with slots for it, and what closed credentials need.
    ///
    /// - Returns: what is to be worked on, and apart from it the jobs whose workers died with them
    ///   too often. What was claimed before something failed is among them.
    private func round(
        _ state: inout RunnerState, _ shutdown: Shutdown
    ) async -> (work: [JobBatch], poison: [JobBatch]) {
        // Slots that came free after the end was asked for are not for new jobs.
        guard let room = await freeRoom(&state), !shutdown.hasBegun else {
            state.hasMore = true
            return ([], [])
        }
        var claims: [(claim: Claim, isProbe: Bool)] = []
        do {
            try await claim(room, &state, &claims)
            let hasSuspect = slots.haveSuspect || claims.contains { isLiving($0.claim) }
            try await attend(&state, takesSuspect: !hasSuspect, &claims)
            if state.failed { log.info("database is back") }
            state.failed = false
        } catch {
            if !state.failed { log.error("claim failed", ["error": "\(error)"]) }
            metrics.failures.add(1, name, error.code)
            state.fail()
        }
        return parted(claims)
    }

    /// What may be claimed now; after a moment when that is little; nil after it when it is
    /// nothing.
    ///
    /// No room may pass soon, as when a provider's streams are taken. A peer that allows no stream
    /// at all gives none for ever: after some seconds one job is tried all the same, or nothing
    /// would end by its time, and no breaker hear of it.
    private func freeRoom(_ state: inout RunnerState) async -> JobRoom? {
        if slots.free < Self.worthwhile(configuration) {
            await bell.wait(until: .after(slots.free == 0 ? configuration.poll : .milliseconds(5)))
        }
        let now = ContinuousClock.now
        var room = courtesy?.withLock { $0.room(at: now) } ?? JobRoom(jobs: .max)
        room.jobs = min(
            room.jobs, slots.free, state.room(of: capacity(), at: now), configuration.batch)
        if room.jobs > 0 { return room }
        await bell.wait(until: .after(.milliseconds(5)))
        return nil
    }

    private func claim(
        _ room: JobRoom, _ state: inout RunnerState, _ claims: inout [(claim: Claim, isProbe: Bool)]
    ) async throws(PostgresError) {
        let now = ContinuousClock.now
        let requests = state.requests(room, takesSuspect: !slots.haveSuspect, at: now)
        guard !requests.isEmpty else { return }
        if room.rest == nil { try await bringNear(requests) }
        let claim = try await queue.claim(
            requests, passing: room.rest?.store, lease: LeaseID(.random()),
            for: configuration.lease, deadline: .after(.seconds(5)))
        metrics.claims.add(1, name)
        metrics.claimSeconds.observe((ContinuousClock.now - now).secondsAsDouble, name)
        state.learn(claim, of: requests, in: room, at: now, jitter: .random(in: 0..<1))
        handler.follow(
            isOpen: state.closed.isEmpty, since: claim.lanes.values.compactMap(\.openSince).max(),
            asOf: now)
        metrics.bloat.set(state.isStretched ? 1 : 0, name)
        claims.append((claim, false))
        // Another suspect may stand behind one that is buried.
        if claim.jobs.contains(where: \.isSuspect), !isLiving(claim) { state.hasMore = true }
    }

    /// Whether a suspect is among the jobs that are worked on.
    private func isLiving(_ claim: Claim) -> Bool {
        claim.jobs.contains { $0.isSuspect && !isPoison($0) }
    }

    private func isPoison(_ job: ClaimedJob) -> Bool {
        job.losses >= configuration.policy.losses
    }

    /// Where a claim looks at everything, jobs are looked for that a wrong clock has put off.
    private func bringNear(_ requests: [ClaimRequest]) async throws(PostgresError) {
        let lanes = requests.filter(\.bounds.isFull).map(\.lane)
        if lanes.isEmpty { return }
        let count = try await queue.bringNear(
            lanes, lease: configuration.lease, deadline: .after(.seconds(5)))
        if count > 0 {
            log.warning(
                "jobs waited for a time far ahead: the database's clock was wrong",
                ["jobs": .count(count)])
        }
    }

    /// The claims' jobs, parted by whether their workers died with them too often.
    private func parted(
        _ claims: [(claim: Claim, isProbe: Bool)]
    ) -> (work: [JobBatch], poison: [JobBatch]) {
        var parts: (work: [JobBatch], poison: [JobBatch]) = ([], [])
        for (claim, isProbe) in claims {
            for (kind, jobs) in Dictionary(grouping: claim.jobs, by: \.kind) {
                metrics.claimed.add(Double(jobs.count), kind)
                let lost = jobs.count { $0.losses > 0 }
                if lost > 0 { metrics.losses.add(Double(lost), kind) }
            }
            func batch(_ jobs: [ClaimedJob]) -> [JobBatch] {
                if jobs.isEmpty { return [] }
                return [
                    JobBatch(
                        jobs: jobs, leaseEnds: claim.leaseEnds, clock: claim.clock,
                        isProbe: isProbe)
                ]
            }
            parts.work += batch(claim.jobs.filter { !isPoison($0) })
            parts.poison += batch(claim.jobs.filter(isPoison))
        }
        return parts
    }

    /// The jobs claimed beside them are worked on meanwhile, whatever becomes of this.
    private func bury(_ poison: JobBatch, _ desk: JobDesk) async {
        await desk.settle(
            poison.jobs.map { ($0, .bury(reason: "poison", countsAsAttempt: false)) }, of: poison,
            policy: configuration.policy)
    }

    /// Probes of credentials whose lanes gave no answer: they are closed.
    private func attend(
        _ state: inout RunnerState, takesSuspect: Bool,
        _ claims: inout [(claim: Claim, isProbe: Bool)]
    ) async throws(PostgresError) {
        var takesSuspect = takesSuspect
        let switches = state.switches(every: configuration.probeInterval, at: .now)
        for credential in state.closed {
            if switches, try await switchOn(credential) {
                state.hasMore = true
                continue
            }
            let claim = try await queue.claimProbe(
                of: credential, every: configuration.probeInterval, lease: LeaseID(.random()),
                for: configuration.lease, takesSuspect: takesSuspect,
                deadline: .after(.seconds(5)))
            if let claim {
                claims.append((claim, true))
                takesSuspect = takesSuspect && !isLiving(claim)
                if !claim.jobs.allSatisfy(isPoison) { continue }
            }
            let isDue = try await queue.takePauseProbe(
                of: credential, base: configuration.pauseBase, cap: configuration.pauseCap,
                deadline: .after(.seconds(5)))
            guard isDue else { continue }
            if await handler.probe(credential) {
                let opened = try await queue.openLanes(
                    of: credential, from: .paused, deadline: .after(.seconds(5)))
                if opened { log.info("lanes resume", ["credential": .id(credential)]) }
                state.hasMore = true
            }
        }
    }

    /// A worker that lacks a credential says so for all when it starts, and this one has it.
    private func switchOn(_ credential: Credential) async throws(PostgresError) -> Bool {
        let isOn = try await queue.switchOn(credential, deadline: .after(.seconds(5)))
        if isOn {
            log.warning(
                "lanes were off and are on again: another worker has started without their credential",
                ["credential": .id(credential)])
        }
        return isOn
    }

    private func nextPoll(_ state: RunnerState) -> Deadline {
        let interval =
            state.closed.isEmpty
            ? configuration.poll : min(configuration.poll, configuration.probeInterval)
        let poll = Deadline.after(interval * Double.random(in: 0.75..<1.25))
        return state.room?.rest.map { min(poll, Deadline($0.end)) } ?? poll
    }
}
