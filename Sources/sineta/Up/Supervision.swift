import Glibc
import Runtime

/// The child's end of what `ChildProcess` holds.
enum Supervision {
    /// The option with which `up` starts its children; no help lists it.
    static let option = "--supervised"

    /// Begins the shutdown when the parent is gone.
    static func follow(_ shutdown: Shutdown) {
        Threads.start("parent") {
            var byte: UInt8 = 0
            while true {
                let count = recv(ChildProcess.channel, &byte, 1, 0)
                if count > 0 || (count < 0 && errno == EINTR) { continue }
                shutdown.begin()
                return
            }
        }
    }

    /// Tells the parent that this process does its work, and where.
    static func ready(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        // A parent that died in the meantime is noticed by `follow`.
        _ = send(ChildProcess.channel, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
