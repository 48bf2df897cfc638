import Runtime

/// Gathers what comes one by one and hands it on in batches: when `size` have come, or `delay`
/// after the first. Batches may be handed on at the same time and in any order.
public final class Batcher<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var round = 0
    }

    private let size: Int
    private let delay: Duration
    private let state = Lock(State())
    private let flush: @Sendable ([Element]) async -> Void

    public init(
        size: Int, delay: Duration, flush: @escaping @Sendable ([Element]) async -> Void
    ) {
        self.size = size
        self.delay = delay
        self.flush = flush
    }

    /// Takes one, from any thread, and returns at once.
    public func add(_ element: Element) {
        let (batch, round) = state.withLock { state -> ([Element], Int?) in
            state.elements.append(element)
            if state.elements.count >= size { return (Self.take(&state), nil) }
            return ([], state.elements.count == 1 ? state.round : nil)
        }
        if !batch.isEmpty { Task { [flush] in await flush(batch) } }
        if let round { Task { [self] in await flushLater(round) } }
    }

    private func flushLater(_ round: Int) async {
        // Nothing cancels this task: what was added must be handed on.
        try? await Task.sleep(for: delay)
        let batch = state.withLock { state in
            state.round == round ? Self.take(&state) : []
        }
        if !batch.isEmpty { await flush(batch) }
    }

    private static func take(_ state: inout State) -> [Element] {
        let elements = state.elements
        state.elements = []
        state.elements.reserveCapacity(elements.count)
        state.round += 1
        return elements
    }
}
