import CPostgres
import Glibc
import Runtime
import Values

/// Waits of threads of our own.
enum Pause {
    static func sleep(_ duration: Duration) {
        usleep(UInt32(clamping: max(0, duration.microseconds)))
    }

    /// Until `deadline`, or until the descriptor has something to read.
    static func poll(_ descriptor: Int32, until deadline: Deadline) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while Glibc.poll(&entry, 1, deadline.pollMilliseconds) < 0 {
            guard errno == EINTR else { return }
        }
    }
}
