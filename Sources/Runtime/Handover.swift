/// Waits for the one value that another thread brings.
///
/// It is a checked continuation whose value crosses under a lock of ours. When a continuation is
/// resumed before it is awaited, the runtime orders the two by atomics that ThreadSanitizer does
/// not see, and it would report the first read of every value as a race.
///
/// - Parameter start: begins the work; it calls what it is given exactly once, from any thread.
public func handedOver<Value: Sendable>(
    _ start: (@escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
    let box = Lock<Value?>(nil)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        start { value in
            box.withLock { $0 = value }
            continuation.resume()
        }
    }
    guard let value = box.withLock({ $0 }) else {
        preconditionFailure("a handover ended without its value")
    }
    return value
}
