import Glibc
import Runtime

/// A process of this program that `up` started: `serve`, `worker` or `simulate`.
///
/// Parent and child share one socket. The child writes a line into it when it is ready, and reads
/// the end of it when the parent dies, however that happens; no child outlives its parent for long.
final class ChildProcess: Sendable {
    /// The descriptor at which a child finds its end of the socket.
    static let channel: Int32 = 3

    let name: String
    let identity: ProcessIdentity
    private let socket: Int32
    private let end = Shutdown()
    private let status = Lock<Int32>(0)

    /// - Parameter group: the process group to join; 0 founds one that carries the child's own id.
    /// - Throws: `CommandFault` with the system's words when no process could be started.
    init(
        _ name: String, arguments: [String], environment: [String: String], group: pid_t
    ) throws(CommandFault) {
        var pair: [Int32] = [-1, -1]
        guard
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0
        else { throw Self.fault(name, errno) }
        defer { close(pair[1]) }
        let words = ["sineta"] + arguments
        let settings = environment.map { "\($0.key)=\($0.value)" }
        let (pid, code) = Spawn.program(
            "/proc/self/exe", words, settings, group: group,
            descriptors: [Self.channel: pair[1]])
        guard code == 0 else {
            close(pair[0])
            throw Self.fault(name, code)
        }
        self.name = name
        socket = pair[0]
        identity = ProcessIdentity(pid: pid) ?? ProcessIdentity(pid: pid, startedAt: 0)
        let (status, end) = (status, end)
        Threads.start("wait \(name)") {
            var result: Int32 = 0
            while waitpid(pid, &result, 0) < 0, errno == EINTR {}
            status.withLock { $0 = result }
            end.begin()
        }
    }

    deinit { close(socket) }

    var hasEnded: Bool { end.hasBegun }

    /// Returns when the process is gone.
    func ended() async { await end.wait() }

    /// The exit code, or 128 and the signal's number, as shells count it. Zero while it runs.
    var exitCode: Int32 {
        let status = status.withLock { $0 }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    func send(_ signal: Int32) {
        if !hasEnded { kill(identity.pid, signal) }
    }

    /// The line that the child says when it is ready; nil when it ended before that.
    func ready() async -> String? {
        let socket = socket
        return await withCheckedContinuation { continuation in
            Threads.start("ready \(name)") { continuation.resume(returning: readLine(socket)) }
        }
    }

    private static func fault(_ name: String, _ code: Int32) -> CommandFault {
        CommandFault(.failed, "cannot start \(name): \(String(cString: strerror(code)))")
    }
}

private func readLine(_ socket: Int32) -> String? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
        let count = recv(socket, &byte, 1, 0)
        if count < 0, errno == EINTR { continue }
        guard count == 1 else { return nil }
        if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
        line.append(byte)
    }
}

/// A process by number and start, so that a number that the system gave away again is not mistaken
/// for it.
struct ProcessIdentity: Sendable, Equatable {
    let pid: pid_t
    /// Clock ticks since boot: field 22 of /proc/PID/stat (proc(5)).
    let startedAt: UInt64

    init(pid: pid_t, startedAt: UInt64) {
        self.pid = pid
        self.startedAt = startedAt
    }

    /// The process that has this number now; nil when there is none, or only its remains.
    init?(pid: pid_t) {
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = try Files.read("/proc/\(pid)/stat")
        } catch {
            return nil
        }
        // The second field is the name in parentheses and may hold anything, parentheses too.
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19, fields[0] != [UInt8(ascii: "Z")],
            let ticks = UInt64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        self.init(pid: pid, startedAt: ticks)
    }

    var isAlive: Bool { ProcessIdentity(pid: pid) == self }
}
