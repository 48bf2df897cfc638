/// Actions in the order of their times; equal times keep the order of adding.
struct TimerHeap {
    private struct Entry {
        let time: ContinuousClock.Instant
        let order: UInt64
        let action: () -> Void

        func isBefore(_ other: Entry) -> Bool {
            time == other.time ? order < other.order : time < other.time
        }
    }

    private var entries: [Entry] = []
    private var order: UInt64 = 0

    var first: ContinuousClock.Instant? { entries.first?.time }

    mutating func add(_ time: ContinuousClock.Instant, _ action: @escaping () -> Void) {
        order += 1
        entries.append(Entry(time: time, order: order, action: action))
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].isBefore(entries[parent]) else { break }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the first action whose time has come.
    mutating func next(until now: ContinuousClock.Instant) -> (() -> Void)? {
        guard let first = entries.first, first.time <= now else { return nil }
        let last = entries.removeLast()
        if !entries.isEmpty {
            entries[0] = last
            sink()
        }
        return first.action
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if entries[child].isBefore(entries[least]) { least = child }
            }
            guard least != parent else { return }
            entries.swapAt(parent, least)
            parent = least
        }
    }
}
