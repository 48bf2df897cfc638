import COpenSSL
import Glibc
import Runtime
import Synchronization

/// Something with a descriptor that a loop watches.
protocol EventSource: AnyObject {
    /// Called on the loop's thread with epoll's event bits.
    func ready(_ events: UInt32)
}

/// One thread that waits for descriptors (epoll(7)), timers and jobs from other threads.
///
/// The thread keeps the loop alive until `stop()`.
final class EventLoop: @unchecked Sendable {
    // @unchecked: everything but `inbox` and `thread` is touched on the loop's own thread only.
    private struct Inbox {
        var jobs: [@Sendable () -> Void] = []
        var isAsleep = false
        var isStopped = false
    }

    static let readable = EPOLLIN.rawValue
    static let writable = EPOLLOUT.rawValue
    static let broken = EPOLLERR.rawValue | EPOLLHUP.rawValue

    private let inbox = Lock(Inbox())
    private let thread = Atomic<UInt>(0)
    private let poll: Int32
    private let waker: Int32
    private var sources: [UInt64: any EventSource] = [:]
    private var nextSource: UInt64 = 1
    private var timers = TimerHeap()
    private var isRunning = true

    /// Runs after each round of events, jobs and timers, before the loop sleeps.
    var afterRound: () -> Void = {}
    /// Runs once when the loop takes no more jobs.
    var atEnd: () -> Void = {}
    /// The monotonic time at which this round began.
    private(set) var now = ContinuousClock.now

    init() {
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        waker = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        // Without descriptors nothing here can keep its promises; the limit is the operator's.
        precondition(poll >= 0 && waker >= 0, "no descriptors for an event loop: errno \(errno)")
        var event = epoll_event(events: Self.readable, data: epoll_data_t(u64: 0))
        epoll_ctl(poll, EPOLL_CTL_ADD, waker, &event)
    }

    deinit {
        close(poll)
        close(waker)
    }

    func start(_ name: String) {
        Threads.start(name) { [self] in run() }
    }

    /// Whether the caller runs on the loop's thread.
    var isCurrent: Bool { thread.load(ordering: .relaxed) == pthread_self() }

    /// Runs the job on the loop's thread, in the order of posting. False: the loop has stopped, and
    /// the job will not run.
    @discardableResult
    func post(_ job: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, mustWake) = inbox.withLock { inbox in
            guard !inbox.isStopped else { return (false, false) }
            inbox.jobs.append(job)
            defer { inbox.isAsleep = false }
            return (true, inbox.isAsleep)
        }
        if mustWake {
            var one: UInt64 = 1
            _ = write(waker, &one, 8)
        }
        return isTaken
    }

    /// Ends the thread after this round. Called on the loop's thread.
    func stop() { isRunning = false }

    /// Runs `action` on the loop at that time or a little later. Called on the loop's thread.
    func at(_ time: ContinuousClock.Instant, _ action: @escaping () -> Void) {
        timers.add(time, action)
    }

    // MARK: Descriptors, on the loop's thread

    /// Watches the descriptor, level-triggered; the answer names the source afterwards.
    func watch(_ descriptor: Int32, _ events: UInt32, _ source: any EventSource) -> UInt64 {
        let id = nextSource
        nextSource += 1
        sources[id] = source
        var event = epoll_event(events: events, data: epoll_data_t(u64: id))
        epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event)
        return id
    }

    func change(_ id: UInt64, _ descriptor: Int32, _ events: UInt32) {
        var event = epoll_event(events: events, data: epoll_data_t(u64: id))
        epoll_ctl(poll, EPOLL_CTL_MOD, descriptor, &event)
    }

    /// Forgets the source; events of this round that are still to come do not reach it.
    func unwatch(_ id: UInt64, _ descriptor: Int32) {
        guard sources.removeValue(forKey: id) != nil else { return }
        epoll_ctl(poll, EPOLL_CTL_DEL, descriptor, nil)
    }

    // MARK: The thread

    private func run() {
        thread.store(pthread_self(), ordering: .relaxed)
        blockBrokenPipe()
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while isRunning {
            let timeout = prepareToSleep()
            let count = epoll_wait(poll, &events, Int32(events.count), timeout)
            inbox.withLock { $0.isAsleep = false }
            now = .now
            for index in 0..<max(0, Int(count)) { dispatch(events[index]) }
        }
        inbox.withLock { inbox in
            inbox.isStopped = true
            inbox.jobs = []
        }
        atEnd()
        sources = [:]
        timers = TimerHeap()
        afterRound = {}
        atEnd = {}
    }

    /// Runs jobs and timers until there are none, then says how long to sleep in milliseconds.
    private func prepareToSleep() -> Int32 {
        while isRunning {
            for job in takeJobs() { job() }
            runTimers()
            afterRound()
            if fallsAsleep() { break }
            now = .now
        }
        guard isRunning else { return 0 }
        guard let next = timers.first else { return -1 }
        return Deadline(next).pollMilliseconds
    }

    /// Runs the timers that are due. One that is added meanwhile waits for the next round, so that
    /// events get their turn whatever timers do.
    private func runTimers() {
        guard let first = timers.first, first <= now else { return }
        var due: [() -> Void] = []
        while let action = timers.next(until: now) { due.append(action) }
        for action in due { action() }
    }

    private func takeJobs() -> [@Sendable () -> Void] {
        inbox.withLock { inbox in
            defer { inbox.jobs = [] }
            return inbox.jobs
        }
    }

    private func fallsAsleep() -> Bool {
        inbox.withLock { inbox in
            inbox.isAsleep = inbox.jobs.isEmpty
            return inbox.isAsleep
        }
    }

    private func dispatch(_ event: epoll_event) {
        let id = event.data.u64
        if id == 0 {
            var count: UInt64 = 0
            _ = read(waker, &count, 8)
        } else {
            sources[id]?.ready(event.events)
        }
    }
}

/// A peer that went away must be an error of the write, not the end of the process; OpenSSL writes
/// without MSG_NOSIGNAL.
func blockBrokenPipe() {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &set, nil)
}
