import Jobs
import Runtime
import Values

/// The jobs table and the state of its one credential, with the statements of `JobQueue` as they
/// are meant: the same conditions, in memory.
struct ModelTable {
    struct Row {
        let number: Int
        let id: JobID
        let lane: LaneID
        let tag: Int64
        let expiresAt: Int64
        var wakeAt: Int64?
        var lease: LeaseID?
        var attempts = 0
        var losses = 0
        var tries: [Attempt] = []
    }

    enum Word { case open, broken, paused }

    let mutant: Mutant?
    var rows: [Row] = []
    private(set) var word = Word.open
    private(set) var since: Int64 = 0
    private(set) var nextProbeAt: Int64?
    private var openSince: Int64?
    private var probes = 0

    init(mutant: Mutant?) { self.mutant = mutant }

    // MARK: - Claims

    mutating func claim(
        _ requests: [ClaimRequest], lease: LeaseID, now: Int64, _ oracle: inout Oracle
    ) -> Claim {
        var jobs: [ClaimedJob] = []
        var lanes: [LaneID: Claim.Lane] = [:]
        if word == .open {
            let suspect = suspect(of: requests, now: now)
            for request in requests {
                lanes[request.lane] = take(request, suspect, lease, now, &jobs, &oracle)
            }
        }
        return Claim(
            jobs: jobs, lanes: lanes, leaseEnds: Deadline(Clock.instant(now + Terms.leaseTime)),
            clock: Clock.database(now))
    }

    private mutating func take(
        _ request: ClaimRequest, _ suspect: Int?, _ lease: LeaseID, _ now: Int64,
        _ jobs: inout [ClaimedJob], _ oracle: inout Oracle
    ) -> Claim.Lane {
        let from = request.bounds.dueFrom.map(Clock.time) ?? .min
        let isOurs = suspect.map { rows[$0].lane == request.lane } ?? false
        let suspects = isOurs ? [suspect].compactMap { $0 } : []
        let due = indexes(of: request.lane) { row in
            guard let wakeAt = row.wakeAt, !isSuspect(row) else { return nil }
            return wakeAt <= now && wakeAt > from ? wakeAt : nil
        }.prefix((request.quota - suspects.count + 1) / 2)
        let ready = indexes(of: request.lane) { row in
            row.wakeAt == nil && row.tag >= request.bounds.lowTag ? row.tag : nil
        }.prefix(request.quota - suspects.count - due.count)
        for index in suspects + due + ready {
            let from = max(rows[index].wakeAt ?? 0, since)
            jobs.append(hold(index, lease, now, from: from, &oracle))
        }
        return Claim.Lane.make(
            request, due: due.count, ready: ready.count, suspects: suspects.count,
            lowestTag: ready.first.map { rows[$0].tag }, hadNoSuspects: suspect == nil,
            databaseTime: Clock.timestamp(now), took: .milliseconds(1),
            openSince: openSince.map(Clock.timestamp))
    }

    /// What has been lost twice, or has been when it is taken now.
    private func isSuspect(_ row: Row) -> Bool {
        mutant != .suspectsInBatch && row.losses + (row.lease == nil ? 0 : 1) >= 2
    }

    /// The one suspect that a claim may take: the first to be due in the first lane that has any.
    private func suspect(of requests: [ClaimRequest], now: Int64) -> Int? {
        let ranked = requests.filter { $0.suspectRank != nil && $0.quota > 0 }
            .sorted { ($0.suspectRank ?? 0) < ($1.suspectRank ?? 0) }
        for request in ranked {
            let from = request.bounds.suspectsFrom.map(Clock.time) ?? .min
            let found = indexes(of: request.lane) { row in
                guard let wakeAt = row.wakeAt, isSuspect(row) else { return nil }
                return wakeAt <= now && wakeAt > from ? wakeAt : nil
            }
            if let first = found.first { return first }
        }
        return nil
    }

    /// The rows of a lane that `key` takes, by that key.
    private func indexes(of lane: LaneID, by key: (Row) -> Int64?) -> [Int] {
        var found: [(key: Int64, index: Int)] = []
        for index in rows.indices where rows[index].lane == lane {
            if mutant == .leaseNeverEnds, rows[index].lease != nil { continue }
            if let key = key(rows[index]) { found.append((key, index)) }
        }
        return found.sorted { $0.key < $1.key }.map(\.index)
    }

    mutating func claimProbe(
        lanes: [LaneID], lease: LeaseID, takesSuspect: Bool, now: Int64, _ oracle: inout Oracle
    ) -> Claim? {
        guard word == .broken, let next = nextProbeAt, next <= now else { return nil }
        var taken: [Int] = []
        let suspect = suspect(
            of: lanes.map {
                ClaimRequest(
                    lane: $0, bounds: .init(lowTag: 0, dueFrom: nil, isFull: true), quota: 1,
                    suspectRank: takesSuspect ? Int($0.number) : nil)
            }, now: now)
        for lane in lanes {
            if mutant == .probesWithTheExpired, !taken.isEmpty { break }
            let ready = indexes(of: lane) { $0.wakeAt == nil ? $0.tag : nil }
            var due = indexes(of: lane) { row in
                isSuspect(row) ? nil : row.wakeAt.flatMap { $0 <= now ? $0 : nil }
            }
            if let suspect, rows[suspect].lane == lane { due.append(suspect) }
            // What is past its life needs no provider; the first that lives is the probe.
            if mutant == .probesWithTheExpired {
                taken = Array((ready + due).prefix(1))
                continue
            }
            let stale = (ready + due).filter { rows[$0].expiresAt <= now }
            if !taken.contains(where: { rows[$0].expiresAt > now }) {
                taken += (ready + due).first { rows[$0].expiresAt > now }.map { [$0] } ?? []
            }
            taken += stale
        }
        guard !taken.isEmpty else { return nil }
        let lives = { [rows] (index: Int) in rows[index].expiresAt > now }
        oracle.probed(
            withOneThatLives: taken.contains(where: lives),
            ofThose: rows.indices.contains { index in
                lanes.contains(rows[index].lane) && lives(index) && !isSuspect(rows[index])
                    && (rows[index].wakeAt ?? now) <= now
            })
        nextProbeAt = taken.contains(where: lives) ? now + Terms.probe.microseconds : now
        return Claim(
            jobs: taken.map { hold($0, lease, now, from: now, &oracle) }, lanes: [:],
            leaseEnds: Deadline(Clock.instant(now + Terms.leaseTime)), clock: Clock.database(now))
    }

    private mutating func hold(
        _ index: Int, _ lease: LeaseID, _ now: Int64, from: Int64, _ oracle: inout Oracle
    ) -> ClaimedJob {
        let isLoss = rows[index].lease != nil
        oracle.claimed(
            rows[index].number, rows[index].id, lease, isLoss: isLoss, from: from, now: now)
        if isLoss, mutant != .forgetsLosses { rows[index].losses += 1 }
        rows[index].wakeAt = now + Terms.leaseTime
        rows[index].lease = lease
        let row = rows[index]
        return ClaimedJob(
            id: row.id, lease: lease, lane: row.lane, kind: "push.deliver",
            store: StoreID(.zero), subject: nil, target: nil, member: nil,
            raisedAt: Clock.timestamp(0), createdAt: Clock.timestamp(0),
            expiresAt: Clock.timestamp(row.expiresAt), attempts: row.attempts,
            losses: row.losses, args: nil, tries: row.tries)
    }

    // MARK: - Write-backs, fenced by the lease

    func index(of held: HeldJob) -> Int? {
        rows.firstIndex {
            $0.id == held.id && ($0.lease == held.lease || mutant == .fenceRemoved)
        }
    }

    mutating func remove(_ held: HeldJob) -> Row? {
        index(of: held).map { rows.remove(at: $0) }
    }

    /// True when the row was still the writer's.
    mutating func postpone(_ postponement: Postponement, now: Int64) -> Bool {
        guard let index = index(of: postponement.job) else { return false }
        rows[index].wakeAt = now + max(0, postponement.wait.microseconds)
        rows[index].attempts += postponement.countsAsAttempt ? 1 : 0
        rows[index].lease = nil
        if let bytes = postponement.attempt {
            let list = [UInt8(ascii: "[")] + bytes + [UInt8(ascii: "]")]
            rows[index].tries += Attempt.last(1, of: list)
        }
        return true
    }

    // MARK: - The credential

    mutating func breakLanes(now: Int64) {
        if word == .open { close(.broken, now, next: now + Terms.probe.microseconds) }
    }

    mutating func pauseLanes(now: Int64) {
        if word != .paused { close(.paused, now, next: now + Terms.pauseBase) }
    }

    /// - Parameter heard: when the answer came for which they are opened.
    mutating func openLanes(from state: Word, heard: Int64, now: Int64) {
        guard word == state else { return }
        close(.open, now, next: nil)
        openSince = heard
    }

    private mutating func close(_ state: Word, _ now: Int64, next: Int64?) {
        word = state
        since = now
        nextProbeAt = next
        probes = 0
    }

    mutating func takePauseProbe(now: Int64) -> Bool {
        guard word == .paused, let next = nextProbeAt, next <= now else { return false }
        probes += 1
        nextProbeAt = now + min(Terms.pauseCap, Terms.pauseBase << Int64(min(probes, 10)))
        return true
    }
}
