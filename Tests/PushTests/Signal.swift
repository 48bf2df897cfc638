import Runtime
import Testing

/// Something that a test waits for, with a bound.
final class Signal<Value: Sendable>: Sendable {
    private let state = Lock<
        (values: [Value], waiter: CheckedContinuation<Void, Never>?, wanted: Int)
    >(
        ([], nil, 0))

    var values: [Value] { state.withLock { $0.values } }

    func send(_ value: Value) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.values.append(value)
            guard state.values.count >= state.wanted, let waiter = state.waiter else { return nil }
            state.waiter = nil
            return waiter
        }
        waiter?.resume()
    }

    /// Waits for that many values; half a minute at most.
    func wait(for count: Int) async throws -> [Value] {
        let alarm = Task { [self] in
            try await Task.sleep(for: .seconds(30))
            state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }?.resume()
        }
        defer { alarm.cancel() }
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.values.count >= count { return true }
                state.wanted = count
                state.waiter = continuation
                return false
            }
            if isThere { continuation.resume() }
        }
        try #require(values.count >= count)
        return values
    }
}
