import Glibc
import Runtime

/// A client that sends the bytes it is told to: for what no proper client would send.
public final class RawSocket: Sendable {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    private let descriptor: Int32

    /// Connects to a port of 127.0.0.1.
    public init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // A throw from here on runs `deinit`, which closes the socket; to close it here as well
        // would take the number from whoever got it meanwhile.
        guard result == 0 else {
            throw Failure(
                description: "cannot connect to port \(port): \(String(cString: strerror(errno)))")
        }
    }

    /// Connects to a Unix socket.
    public init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Failure(description: "cannot connect to \(path)") }
    }

    deinit { close(descriptor) }

    /// Sends what the peer takes; one that has gone is no error here, its answer tells.
    @discardableResult
    public func send(_ bytes: [UInt8]) async -> Bool {
        await onThread { [descriptor] in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    @discardableResult
    public func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

    /// Says that nothing more is sent.
    public func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// All bytes until the peer closes; nil when it has not by the deadline.
    public func readToEnd(within time: Duration = .seconds(30)) async -> [UInt8]? {
        let (bytes, ended) = await read(within: time) { _ in false }
        return ended ? bytes : nil
    }

    /// The bytes up to the moment at which they contain `text`, or all that came by the deadline.
    public func read(until text: String, within time: Duration = .seconds(30)) async -> String {
        let (bytes, _) = await read(within: time) { bytes in
            String(decoding: bytes, as: UTF8.self).contains(text)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes up to the moment at which they hold so many whole answers, or what came by then.
    public func replies(
        _ count: Int = 1, within time: Duration = .seconds(30)
    ) async -> [RawReply] {
        let (bytes, _) = await read(within: time) { RawReply.all(in: $0).count >= count }
        return RawReply.all(in: bytes)
    }

    private func read(
        within time: Duration, until isEnough: @escaping @Sendable ([UInt8]) -> Bool
    ) async -> ([UInt8], ended: Bool) {
        let deadline = Deadline.after(time)
        return await onThread { [descriptor] in
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65536)
            while !isEnough(bytes) {
                var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard Glibc.poll(&poll, 1, deadline.pollMilliseconds) > 0 else {
                    return (bytes, false)
                }
                let count = recv(descriptor, &chunk, chunk.count, 0)
                guard count > 0 else { return (bytes, true) }
                bytes.append(contentsOf: chunk[..<count])
            }
            return (bytes, false)
        }
    }
}

/// Runs what blocks on a thread of its own, so that the tests leave Swift's pool to the code.
public func onThread<Result: Sendable>(
    _ body: @escaping @Sendable () -> Result
) async -> Result {
    await withCheckedContinuation { continuation in
        Threads.start("test") { continuation.resume(returning: body()) }
    }
}
