/// The requests that wait for a stream: those to be sent again first, then in the order of arrival.
struct WaitingLine {
    private var again: [Exchange] = []
    private var line: [Exchange] = []
    private var head = 0

    var isEmpty: Bool { again.isEmpty && head == line.count }
    var count: Int { again.count + line.count - head }

    mutating func append(_ exchanges: [Exchange]) { line.append(contentsOf: exchanges) }

    /// Puts requests before all others; among themselves they keep the order of giving back.
    mutating func putBack(_ exchange: Exchange) { again.append(exchange) }

    var first: Exchange? { again.first ?? (head < line.count ? line[head] : nil) }

    mutating func removeFirst() {
        guard again.isEmpty else {
            again.removeFirst()
            return
        }
        head += 1
        guard head == line.count || head >= 4096 else { return }
        line.removeFirst(head)
        head = 0
    }

    /// Takes out the requests that match.
    mutating func remove(where matches: (Exchange) -> Bool) -> [Exchange] {
        line.removeFirst(head)
        head = 0
        let taken = again.filter(matches) + line.filter(matches)
        again.removeAll(where: matches)
        line.removeAll(where: matches)
        return taken
    }

    /// The nearest time by which one must start.
    var startBy: ContinuousClock.Instant? {
        var nearest: ContinuousClock.Instant?
        for exchange in again { nearest = min(nearest ?? exchange.startBy, exchange.startBy) }
        for exchange in line[head...] {
            nearest = min(nearest ?? exchange.startBy, exchange.startBy)
        }
        return nearest
    }
}
