import Jobs
import Runtime

/// Waits that the end of the process cuts short.
struct AlarmBell: Sendable {
    private let bell = JobBell()

    init(_ shutdown: Shutdown) {
        shutdown.onBegin { [bell] in bell.ring() }
    }

    func wait(_ duration: Duration) async {
        await bell.wait(until: .after(duration))
    }
}
