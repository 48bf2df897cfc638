package import Values

/// What a runner leaves free for the other stores while one store floods it. A value.
///
/// The fair tags see to it that the next claim takes another store's job; how long that job then
/// takes is decided by how busy the machine is with the flood. So while nearly all of a batch is
/// one store's and others are about, the flood goes in small batches, one at a time. After each it
/// rests for thrice as long as the handler took (the busier the machine, the longer), and lets the
/// others' batches end first. The others' jobs are claimed meanwhile. A store that is alone is
/// served at full speed, and so are many stores that share the work.
package struct Courtesy: Sendable {
    /// How long after its last batch a flood goes on.
    static let floodMemory = Duration.seconds(1)
    /// How long another store counts as being about.
    static let storeMemory = Duration.seconds(10)
    static let restFactor = 3
    /// No rest is longer, and no longer does a flood wait for the others' batches.
    static let longestRest = Duration.milliseconds(100)

    /// A batch at work.
    package struct Turn: Sendable {
        /// Whose flood it is of, while others are about.
        package let flood: StoreID?
        fileprivate let claimedAt: ContinuousClock.Instant
        fileprivate let begin: ContinuousClock.Instant
    }

    private typealias Sighting = (store: StoreID, at: ContinuousClock.Instant)

    /// The most jobs of a flood's batch.
    private let batch: Int
    private let longestTurn: Duration
    private var flooder: Sighting?
    /// Of the two that were seen last: one of them at least is another than the flooder.
    private var seen: [Sighting] = []
    /// When the flood's batches at work began.
    private var floodTurns: [ContinuousClock.Instant] = []
    /// How many other batches are at work.
    private var otherTurns = 0
    private var restsUntil: ContinuousClock.Instant?
    /// When a batch of the flood ended last.
    private var lastEnd: ContinuousClock.Instant?

    /// - Parameters:
    ///   - batch: the most jobs of a flood's batch. A quarter of it, or of what there was room for,
    ///     and four at least, is what makes a store a flood.
    ///   - longestTurn: no longer does a flood wait for its own batch, which may hang.
    package init(batch: Int, longestTurn: Duration = .seconds(1)) {
        self.batch = batch
        self.longestTurn = longestTurn
    }

    /// What may be claimed.
    package func room(at now: ContinuousClock.Instant) -> JobRoom {
        guard let flood = flood(at: now) else { return JobRoom(jobs: .max) }
        var end = restsUntil ?? now
        if let turn = floodTurns.max() {
            end = max(end, turn + longestTurn)
        } else if otherTurns > 0, let lastEnd {
            end = max(end, lastEnd + Self.longestRest)
        }
        return JobRoom(
            jobs: batch, rest: now < end ? JobRoom.Rest(store: flood, end: end) : nil)
    }

    /// The store that floods while others are about.
    package func flood(at now: ContinuousClock.Instant) -> StoreID? {
        guard let flooder, !floodTurns.isEmpty || now - flooder.at < Self.floodMemory
        else { return nil }
        let isOwed = seen.contains { $0.store != flooder.store && now - $0.at < Self.storeMemory }
        return isOwed ? flooder.store : nil
    }

    /// A batch is about to be worked on. Its end must be told.
    ///
    /// - Parameters:
    ///   - stores: one for each of its jobs.
    ///   - room: what its claim might take; nil when it shows no flood, as a probe. Where a store was
    ///     passed over, another may well have nearly all of it.
    package mutating func begin(
        _ stores: some Collection<StoreID>, claimedAt: ContinuousClock.Instant, in room: JobRoom?,
        at now: ContinuousClock.Instant
    ) -> Turn {
        var counts: [StoreID: Int] = [:]
        for store in stores { counts[store, default: 0] += 1 }
        for store in counts.keys {
            seen.removeAll { $0.store == store }
            seen = seen.suffix(1) + [(store, now)]
        }
        if let room, room.rest == nil,
            let (store, count) = counts.max(by: { $0.value < $1.value }),
            count >= max(4, min(batch, room.jobs) / 4), count * 4 >= stores.count * 3
        {
            flooder = (store, now)
            if let flood = flood(at: now) {
                floodTurns.append(now)
                return Turn(flood: flood, claimedAt: claimedAt, begin: now)
            }
        }
        otherTurns += 1
        return Turn(flood: nil, claimedAt: claimedAt, begin: now)
    }

    package mutating func end(_ turn: Turn, at now: ContinuousClock.Instant) {
        guard let flood = turn.flood else { return otherTurns -= 1 }
        if let index = floodTurns.firstIndex(of: turn.begin) { floodTurns.remove(at: index) }
        if flooder?.store == flood { flooder = (flood, now) }
        lastEnd = now
        let end = now + min((now - turn.claimedAt) * Self.restFactor, Self.longestRest)
        restsUntil = restsUntil.map { max($0, end) } ?? end
    }
}
