import Jobs
import Values

/// What a runner leaves free for the other stores while one store floods it. A value.
///
/// The fair tags see to it that the next claim takes another store's job; how long that job then
/// takes is decided by how busy the machine is with the flood. So while nearly all of a batch is one
/// store's and others are about, the runner rests after it for as long as it took: the busier the
/// machine, the longer. A store that is alone is served at full speed, and so are many stores that
/// share the work.
struct Courtesy {
    /// Jobs of one store from which on they are a flood, when they are three quarters of a batch.
    static let flood = 4
    /// How long after the last such batch the flood goes on.
    static let floodMemory = Duration.seconds(1)
    /// How long another store counts as being about.
    static let memory = Duration.seconds(10)
    /// No rest is longer.
    static let longest = Duration.milliseconds(100)

    private typealias Sighting = (store: StoreID, at: ContinuousClock.Instant)

    private var flooder: Sighting?
    /// Of the two that were seen last: one of them at least is another than the flooder.
    private var seen: [Sighting] = []
    private var restsUntil: ContinuousClock.Instant?

    /// Whether one store floods while others are about.
    func isOwed(at now: ContinuousClock.Instant) -> Bool {
        guard let flooder, now - flooder.at < Self.floodMemory else { return false }
        return seen.contains { $0.store != flooder.store && now - $0.at < Self.memory }
    }

    func rests(at now: ContinuousClock.Instant) -> Bool { restsUntil.map { now < $0 } ?? false }

    /// A batch was at work since its claim.
    mutating func worked(on batch: JobBatch, until now: ContinuousClock.Instant) {
        worked(batch.jobs.map(\.store), for: now - batch.claimedAt, at: now)
    }

    /// A batch took so long.
    ///
    /// - Parameter stores: one for each of its jobs.
    mutating func worked(
        _ stores: some Collection<StoreID>, for time: Duration, at now: ContinuousClock.Instant
    ) {
        var counts: [StoreID: Int] = [:]
        for store in stores { counts[store, default: 0] += 1 }
        for store in counts.keys {
            seen.removeAll { $0.store == store }
            seen = seen.suffix(1) + [(store, now)]
        }
        guard let (store, count) = counts.max(by: { $0.value < $1.value }), count >= Self.flood,
            count * 4 >= stores.count * 3
        else { return }
        flooder = (store, now)
        guard isOwed(at: now) else { return }
        let end = now + min(time, Self.longest)
        restsUntil = restsUntil.map { max($0, end) } ?? end
    }
}
