import Glibc

/// A fixed number of threads that run blocking work in the order it came.
///
/// It is how a C library that waits (libpq, libargon2, libcurl) is called from async code.
public final class BlockingExecutor: @unchecked Sendable {
    // @unchecked: `jobs` and `closed` are touched only under `mutex`.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [@Sendable () -> Void] = []
    private var head = 0
    private var closed = false

    /// Starts the threads, which the name and a number tell apart.
    public init(name: String, threads: Int) {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
        for _ in 0..<threads { Threads.start(name) { [self] in work() } }
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(condition)
        mutex.deallocate()
        condition.deallocate()
    }

    /// Lets the threads end when the work they have is done. Work added later never runs.
    public func close() {
        pthread_mutex_lock(mutex)
        closed = true
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Adds work and returns at once.
    public func submit(_ job: @escaping @Sendable () -> Void) {
        pthread_mutex_lock(mutex)
        jobs.append(job)
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Runs `body` on one of the threads and gives back what it returned or threw.
    public func run<Result: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let outcome: Swift.Result<Result, Failure> = await handedOver { handOver in
            submit {
                do throws(Failure) {
                    handOver(.success(try body()))
                } catch {
                    handOver(.failure(error))
                }
            }
        }
        return try outcome.get()
    }

    private func work() {
        while let job = next() { job() }
    }

    private func next() -> (@Sendable () -> Void)? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while head == jobs.count {
            if closed { return nil }
            jobs.removeAll(keepingCapacity: true)
            head = 0
            pthread_cond_wait(condition, mutex)
        }
        let job = jobs[head]
        head += 1
        if head > 1024 {
            jobs.removeFirst(head)
            head = 0
        }
        return job
    }
}
