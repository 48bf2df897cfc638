import Foundation
import Glibc
import Runtime

@testable import sineta

/// A `sineta` of this very build as a process, and what it says.
final class SinetaProcess: Sendable {
    private struct State {
        var output: [String] = []
        var isOpen = true
        var waiters: [@Sendable () -> Void] = []
    }

    struct EndedEarly: Error, CustomStringConvertible {
        let wanted: String
        let complaints: String
        var description: String { "sineta never said \"\(wanted)\"; it complained: \(complaints)" }
    }

    let pid: Int32
    private let state = Lock(State())
    private let complaints = Lock<[UInt8]>([])
    private let end = Shutdown()
    private let silence = Shutdown()
    private let code = Lock<Int32>(0)

    /// - Parameters:
    ///   - environment: all of it, beside what any process needs.
    ///   - isSeen: standard error is a terminal.
    init(
        _ words: [String], _ environment: [String: String], isSeen: Bool = false
    ) throws {
        let inherited = ProcessInfo.processInfo.environment.filter {
            ["PATH", "HOME", "LANG", "TMPDIR", "TSAN_OPTIONS"].contains($0.key)
        }
        let settings = inherited.merging(environment) { $1 }.map { "\($0.key)=\($0.value)" }
        let output = try Channel()
        let errors = isSeen ? try Channel(terminal: ()) : try Channel()
        // Foundation's own Process waits for all descendants, and PostgreSQL outlives a killed
        // `up`.
        let (pid, code) = Spawn.program(
            Self.program, ["sineta"] + words, settings, group: 0,
            descriptors: [1: output.writing, 2: errors.writing])
        output.closeWriting()
        errors.closeWriting()
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        self.pid = pid
        waitForEnd()
        follow(output.reading)
        drain(errors.reading)
    }

    /// What it wrote to standard error, once that is closed: the process may end before it is read.
    func errors() async -> String {
        await silence.wait()
        return errorsSoFar
    }

    var errorsSoFar: String { String(decoding: complaints.withLock { $0 }, as: UTF8.self) }

    func send(_ signal: Int32) { kill(pid, signal) }

    /// As a terminal does it at Ctrl-C: to the whole process group, which this process founded.
    func sendToGroup(_ signal: Int32) { kill(-pid, signal) }

    /// Waits for words on standard error.
    func complaint(with words: String) async throws {
        while !errorsSoFar.contains(words) {
            let (isOpen, count) = state.withLock { ($0.isOpen, $0.output.count) }
            guard isOpen, !Task.isCancelled else {
                throw EndedEarly(wanted: words, complaints: errorsSoFar)
            }
            await more(than: count, orWhen: { self.errorsSoFar.contains(words) })
        }
    }

    /// Waits for its end; the exit code, or the signal's number.
    func exitCode() async -> Int32 {
        await end.wait()
        return code.withLock { $0 }
    }

    /// All lines of its standard output, once that is closed.
    func output() async -> String {
        while true {
            let (lines, isOpen) = state.withLock { ($0.output, $0.isOpen) }
            guard isOpen else { return lines.map { "\($0)\n" }.joined() }
            await more(than: lines.count)
        }
    }

    /// Waits for a line of standard output that begins so.
    func line(beginning prefix: String) async throws -> String {
        while true {
            let (found, isOpen, count) = state.withLock { state in
                (
                    state.output.first { $0.hasPrefix(prefix) }, state.isOpen,
                    state.output.count
                )
            }
            if let found { return found }
            guard isOpen, !Task.isCancelled else {
                throw EndedEarly(wanted: prefix, complaints: errorsSoFar)
            }
            await more(than: count)
        }
    }

    private func waitForEnd() {
        let (pid, code, end) = (pid, code, end)
        Threads.start("wait") {
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            code.withLock { $0 = status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F }
            end.begin()
        }
    }

    private func more(than count: Int, orWhen isEnough: () -> Bool = { false }) async {
        let news = Shutdown()
        let isThere = state.withLock { state in
            if state.output.count > count || !state.isOpen || isEnough() { return true }
            state.waiters.append { news.begin() }
            return false
        }
        if !isThere { await news.wait() }
    }

    private func follow(_ descriptor: Int32) {
        let state = state
        Threads.start("stdout") {
            var rest: [UInt8] = []
            read(all: descriptor) { chunk in
                rest += chunk
                var lines = rest.split(separator: 10, omittingEmptySubsequences: false)
                rest = lines.popLast().map(Array.init) ?? []
                let texts = lines.map { String(decoding: $0, as: UTF8.self) }
                for wake in state.withLock({ Self.add(texts, to: &$0) }) { wake() }
            }
            let waiters = state.withLock { state in
                state.isOpen = false
                return state.waiters
            }
            for wake in waiters { wake() }
        }
    }

    private func drain(_ descriptor: Int32) {
        let (complaints, state, silence) = (complaints, state, silence)
        Threads.start("stderr") {
            read(all: descriptor) { chunk in
                complaints.withLock { $0 += chunk }
                for wake in state.withLock({ Self.add([], to: &$0) }) { wake() }
            }
            silence.begin()
        }
    }

    private static func add(
        _ lines: [String], to state: inout State
    ) -> [@Sendable () -> Void] {
        state.output += lines
        defer { state.waiters = [] }
        return state.waiters
    }

    /// The executable beside the test runner.
    private static let program: String = {
        let runner = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = (runner ?? "").split(separator: "/").dropLast().joined(separator: "/")
        return "/\(folder)/sineta"
    }()
}

/// A pair of sockets whose ends no other program inherits by chance.
private struct Channel {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw POSIXError(.EMFILE) }
        (reading, writing) = (ends[0], ends[1])
    }

    /// A terminal (pty(7)); its reading end fails once nobody has the other open.
    init(terminal: Void) throws {
        // TIOCSPTLCK and TIOCGPTPEER, which are macros (ioctl_tty(2)).
        let (unlock, takePeer) = (UInt(0x4004_5431), UInt(0x5441))
        let flags = O_RDWR | O_NOCTTY | O_CLOEXEC
        reading = open("/dev/ptmx", flags)
        var isLocked: Int32 = 0
        guard reading >= 0, ioctl(reading, unlock, &isLocked) == 0 else {
            throw POSIXError(.ENXIO)
        }
        writing = ioctl(reading, takePeer, flags)
        guard writing >= 0 else { throw POSIXError(.ENXIO) }
    }

    func closeWriting() { close(writing) }
}

/// Reads to the end and closes.
private func read(all descriptor: Int32, _ take: ([UInt8]) -> Void) {
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        take(Array(buffer[..<count]))
    }
}
