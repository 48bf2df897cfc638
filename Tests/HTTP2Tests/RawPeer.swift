import Glibc
import Runtime

@testable import HTTP2

/// A server that sends the HTTP/2 frames it is told to: for what no proper server would send.
final class RawPeer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let context: TLSContext
    private let frames: [UInt8]?

    /// Every connection gets these bytes, again and again, until it is closed; with nil it gets
    /// nothing, not even SETTINGS.
    init(sending frames: [UInt8]?) throws {
        self.frames = frames
        context = try TLSContext(Authority.identity(), offersHTTP2: true)
        guard let address = try SocketAddress.resolve("127.0.0.1", 0, numeric: true).first else {
            throw TLSFault(words: "no address")
        }
        (listener, port) = try address.listen()
        Threads.start("raw-peer") { [self] in serve() }
    }

    deinit { close(listener) }

    /// One frame (RFC 9113 section 4.1).
    static func frame(_ type: UInt8, flags: UInt8, stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count
        return [
            UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags,
            0, 0, 0, stream,
        ] + payload
    }

    private func serve() {
        // It writes until its client has left.
        blockBrokenPipe()
        for _ in 0..<3 {
            guard Self.wait(listener, Int16(POLLIN)) else { return }
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            SocketAddress.prepare(descriptor)
            if let tls = try? TLSStream.accepting(context, descriptor) { talk(tls) }
        }
    }

    private func talk(_ tls: TLSStream) {
        while let progress = try? tls.handshake(), progress != .done {
            guard Self.wait(tls.descriptor, Int16(POLLIN)) else { return }
        }
        guard let frames else { return listen(tls, for: .max) }
        // SETTINGS, then wait for the request's HEADERS.
        guard write(Self.frame(4, flags: 0, stream: 0, []), tls) else { return }
        listen(tls, for: 150)
        while write(frames, tls) {}
    }

    /// Reads so many bytes, or until the client leaves.
    private func listen(_ tls: TLSStream, for count: Int) {
        var buffer = [UInt8](repeating: 0, count: 65536)
        var came = 0
        while came < count {
            switch buffer.withUnsafeMutableBytes({ tls.read($0) }) {
            case .bytes(let count): came += count
            case .ended: return
            case .wait: guard Self.wait(tls.descriptor, Int16(POLLIN)) else { return }
            }
        }
    }

    private func write(_ bytes: [UInt8], _ tls: TLSStream) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch rest.withUnsafeBytes({ tls.write($0) }) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .ended: return false
            case .wait: guard Self.wait(tls.descriptor, Int16(POLLOUT)) else { return false }
            }
        }
        return true
    }

    private static func wait(_ descriptor: Int32, _ events: Int16) -> Bool {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        return poll(&entry, 1, 20_000) > 0
    }
}
