import CPostgres
import Glibc
import Runtime

/// A mutex with conditions to wait for, whose waits can have a deadline.
final class Gate: @unchecked Sendable {
    // @unchecked: the pointers never change, and pthread objects are made to be shared.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let conditions: UnsafeMutablePointer<pthread_cond_t>
    private let count: Int

    init(conditions count: Int) {
        self.count = count
        conditions = .allocate(capacity: count)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // A step of the wall clock must not wake or delay anybody.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        for index in 0..<count { pthread_cond_init(conditions + index, &attributes) }
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        for index in 0..<count { pthread_cond_destroy(conditions + index) }
        pthread_mutex_destroy(mutex)
        conditions.deallocate()
        mutex.deallocate()
    }

    func lock() { pthread_mutex_lock(mutex) }
    func unlock() { pthread_mutex_unlock(mutex) }
    func signal(_ condition: Int) { pthread_cond_signal(conditions + condition) }
    func broadcast(_ condition: Int) { pthread_cond_broadcast(conditions + condition) }

    /// Gives the lock away until the condition is signalled, or (when there is one) `deadline`;
    /// may also return for no reason. The lock must be held.
    func wait(_ condition: Int, until deadline: Deadline? = nil) {
        guard let deadline else {
            pthread_cond_wait(conditions + condition, mutex)
            return
        }
        let (seconds, attoseconds) = deadline.remaining.components
        sineta_cond_wait(
            conditions + condition, mutex, min(seconds, 86_400),
            attoseconds / 1_000_000_000)
    }
}
