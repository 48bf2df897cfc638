import Glibc

/// A value behind a pthread mutex.
///
/// `Synchronization.Mutex` waits on a futex that ThreadSanitizer does not see, and so reports races
/// that are none; this one it understands.
public final class Lock<Value>: @unchecked Sendable {
    // @unchecked: `value` is touched only between lock and unlock of `mutex`.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// The value belongs to the lock from here on.
    public init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` alone. It must not wait for anything but memory, nor take the same lock again.
    public func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
