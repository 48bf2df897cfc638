import Glibc
import Values

/// Sleep of a thread of our own.
enum Pause {
    static func sleep(_ duration: Duration) {
        usleep(UInt32(clamping: max(0, duration.microseconds)))
    }
}
