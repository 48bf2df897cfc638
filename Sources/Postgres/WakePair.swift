import Glibc

/// Two ends of a line: a byte written to one wakes who polls the other.
final class WakePair: Sendable {
    let reader: Int32
    private let writer: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let made = socketpair(AF_UNIX, kind, 0, &ends)
        // It fails only when the process has no descriptor left, and then nothing works.
        precondition(made == 0, "no descriptors left")
        reader = ends[0]
        writer = ends[1]
    }

    deinit {
        close(reader)
        close(writer)
    }

    func wake() {
        var byte: UInt8 = 1
        _ = send(writer, &byte, 1, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    }
}
