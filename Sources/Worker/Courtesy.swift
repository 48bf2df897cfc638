import Values

/// What a runner leaves free for the other stores while one store floods it. A value.
///
/// The fair tags see to it that the next claim takes another store's job; how long that job then
/// takes is decided by how busy the machine is with the flood. So while nearly all of a batch is one
/// store's and others are about, the runner rests after it for as long as it took: the busier the
/// machine, the longer. A store that is alone is served at full speed, and so are many stores that
/// share the work.
struct Courtesy {
    /// Jobs of one store from which on they are a flood.
    static let flood = 4
    /// How long another store counts as being about.
    static let memory = Duration.seconds(10)
    /// No rest is longer.
    static let longest = Duration.milliseconds(100)

    private var flooding: StoreID?
    private var othersAt: ContinuousClock.Instant?
    private var isAsked = false
    private var restsUntil: ContinuousClock.Instant?

    /// Whether one store floods while others are about.
    func isOwed(at now: ContinuousClock.Instant) -> Bool {
        guard isAsked, let othersAt else { return false }
        return now - othersAt < Self.memory
    }

    func rests(at now: ContinuousClock.Instant) -> Bool { restsUntil.map { now < $0 } ?? false }

    /// A batch with jobs of these stores, one each, took so long.
    mutating func worked(
        _ stores: some Collection<StoreID>, for time: Duration, at now: ContinuousClock.Instant
    ) {
        var counts: [StoreID: Int] = [:]
        for store in stores { counts[store, default: 0] += 1 }
        guard let (store, count) = counts.max(by: { $0.value < $1.value }) else { return }
        if count >= Self.flood {
            flooding = store
            isAsked = count * 4 >= stores.count * 3
        }
        if counts.keys.contains(where: { $0 != flooding }) { othersAt = now }
        if count >= Self.flood, isOwed(at: now) { restsUntil = now + min(time, Self.longest) }
    }
}
