import Jobs
import Values

/// What a runner leaves free for the other stores while one store floods it. A value.
///
/// The fair tags see to it that the next claim takes another store's job; how long that job then
/// takes is decided by how busy the machine is with the flood. So while nearly all of a batch is one
/// store's and others are about, the flood goes in small batches, one at a time, which rest after each
/// for three times as long as it took (the busier the machine, the longer) and let the others' batches
/// end first. The others' jobs are claimed meanwhile. A store that is alone is served at full speed,
/// and so are many stores that share the work.
struct Courtesy {
    /// Jobs of one store from which on they are a flood, when they are three quarters of a batch.
    static let flood = 4
    /// How long after the last such batch the flood goes on.
    static let floodMemory = Duration.seconds(1)
    /// How long another store counts as being about.
    static let memory = Duration.seconds(10)
    /// A rest is so many times as long as the batch before it.
    static let rest = 3
    /// No rest is longer, and no longer does the flood wait for the others' batches.
    static let longest = Duration.milliseconds(100)
    /// While it waits for a batch it is looked at again after this time.
    static let glance = Duration.milliseconds(20)

    /// A batch at work.
    struct Turn: Sendable {
        /// Whose flood it is of, while others are about.
        let flood: StoreID?
        fileprivate let start: ContinuousClock.Instant
    }

    private typealias Sighting = (store: StoreID, at: ContinuousClock.Instant)

    /// The jobs of a flood's batch.
    private let batch: Int
    private var flooder: Sighting?
    /// Of the two that were seen last: one of them at least is another than the flooder.
    private var seen: [Sighting] = []
    /// Batches at work.
    private var floods = 0
    private var others = 0
    private var restsUntil: ContinuousClock.Instant?
    /// When a batch of the flood ended last.
    private var lastEnd: ContinuousClock.Instant?

    init(batch: Int) { self.batch = batch }

    /// What may be claimed of what can be started.
    func room(of jobs: Int, at now: ContinuousClock.Instant) -> JobRoom {
        guard let flood = flood(at: now) else { return JobRoom(jobs: jobs) }
        var end = restsUntil ?? now
        if floods > 0 || others > 0 && isPatient(at: now) { end = max(end, now + Self.glance) }
        return JobRoom(
            jobs: min(jobs, batch), rest: now < end ? JobRoom.Rest(of: flood, until: end) : nil)
    }

    private func isPatient(at now: ContinuousClock.Instant) -> Bool {
        lastEnd.map { now - $0 < Self.longest } ?? false
    }

    mutating func begin(_ batch: JobBatch, at now: ContinuousClock.Instant) -> Turn {
        begin(batch.jobs.map(\.store), since: batch.claimedAt, at: now)
    }

    /// A batch is about to be worked on. Its end must be told.
    ///
    /// - Parameters:
    ///   - stores: one for each of its jobs.
    ///   - start: when it was claimed.
    mutating func begin(
        _ stores: some Collection<StoreID>, since start: ContinuousClock.Instant,
        at now: ContinuousClock.Instant
    ) -> Turn {
        var counts: [StoreID: Int] = [:]
        for store in stores { counts[store, default: 0] += 1 }
        for store in counts.keys {
            seen.removeAll { $0.store == store }
            seen = seen.suffix(1) + [(store, now)]
        }
        guard let (store, count) = counts.max(by: { $0.value < $1.value }), count >= Self.flood,
            count * 4 >= stores.count * 3
        else { return turn(of: nil, since: start) }
        flooder = (store, now)
        return turn(of: flood(at: now), since: start)
    }

    private mutating func turn(
        of flood: StoreID?, since start: ContinuousClock.Instant
    ) -> Turn {
        if flood == nil { others += 1 } else { floods += 1 }
        return Turn(flood: flood, start: start)
    }

    mutating func end(_ turn: Turn, at now: ContinuousClock.Instant) {
        guard let flood = turn.flood else { return others -= 1 }
        floods -= 1
        flooder = (flood, now)
        lastEnd = now
        let end = now + min((now - turn.start) * Self.rest, Self.longest)
        restsUntil = restsUntil.map { max($0, end) } ?? end
    }

    /// The store that floods while others are about.
    private func flood(at now: ContinuousClock.Instant) -> StoreID? {
        guard let flooder, now - flooder.at < Self.floodMemory else { return nil }
        let isOwed = seen.contains { $0.store != flooder.store && now - $0.at < Self.memory }
        return isOwed ? flooder.store : nil
    }
}
