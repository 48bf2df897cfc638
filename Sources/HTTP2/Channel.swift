import CNghttp2
import Glibc

/// One nghttp2 session over one TLS connection: bytes in, bytes out
/// (https://nghttp2.org/documentation/programmers-guide.html).
///
/// What the session wants to send is gathered into records of up to 16 KiB before it is encrypted:
/// one write for hundreds of small frames is where the speed comes from.
final class Channel {
    private static let record = 16 << 10
    /// What may wait in the session for the socket: two records.
    private static let entrustedLimit = 2 * record

    let tls: TLSStream
    let session: OpaquePointer
    /// Bytes that the session has given out since the start.
    private(set) var produced: UInt64 = 0
    /// Bytes that TLS was asked to write: those beyond have certainly not reached the peer.
    private(set) var attempted: UInt64 = 0
    /// The socket is full: `flush` again when it is writable.
    private(set) var isBlocked = false
    /// About how many bytes were put into the session since all it had went into the socket.
    private var entrusted = 0

    private var output: [UInt8] = []
    private var outputStart = 0
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// Takes the session over.
    init(_ tls: TLSStream, _ session: OpaquePointer) {
        self.tls = tls
        self.session = session
        output.reserveCapacity(3 * Self.record)
    }

    deinit {
        nghttp2_session_del(session)
        input.deallocate()
    }

    /// Says that a request of about so many bytes was put into the session.
    func entrust(_ bytes: Int) { entrusted += bytes }

    /// Whether what is put into the session now leaves at once: the socket takes bytes, little
    /// waits for it, and the peer's window has room. Else a stream that opens may lie here for
    /// long.
    var takesMore: Bool {
        !isBlocked && entrusted < Self.entrustedLimit
            && Int(nghttp2_session_get_remote_window_size(session)) > entrusted
    }

    /// Reads what there is and hands it to the session, whose callbacks run inside.
    ///
    /// - Returns: why the connection has ended, or nil; and whether anything came.
    func receive() -> (end: String?, came: Bool) {
        var came = false
        while true {
            switch tls.read(input) {
            case .wait: return (nil, came)
            case .ended(let words): return (words, came)
            case .bytes(let count):
                came = true
                let bytes = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
                let result = nghttp2_session_mem_recv(session, bytes, count)
                if result < 0 { return (Self.words(result), came) }
            }
        }
    }

    /// Sends what the session has to send, as far as the socket takes it.
    ///
    /// - Returns: why the connection has ended, or nil.
    func flush() -> String? {
        isBlocked = false
        while true {
            if let words = gather() { return words }
            guard outputStart < output.count else {
                entrusted = 0
                return nil
            }
            let count = min(Self.record, output.count - outputStart)
            attempted = produced - UInt64(output.count - outputStart - count)
            let outcome = output.withUnsafeBytes {
                tls.write(UnsafeRawBufferPointer(rebasing: $0[outputStart..<outputStart + count]))
            }
            switch outcome {
            case .bytes(let written): advance(written)
            case .ended(let words): return words
            case .wait:
                isBlocked = true
                return nil
            }
        }
    }

    /// Whether the session has said and heard all it ever will.
    var isFinished: Bool {
        outputStart == output.count && nghttp2_session_want_read(session) == 0
            && nghttp2_session_want_write(session) == 0
    }

    private func gather() -> String? {
        while output.count - outputStart < Self.record {
            var bytes: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &bytes)
            if count < 0 { return Self.words(count) }
            guard count > 0, let bytes else { return nil }
            output.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
            produced += UInt64(count)
        }
        return nil
    }

    private func advance(_ count: Int) {
        outputStart += count
        guard outputStart == output.count || outputStart >= Self.record else { return }
        output.removeFirst(outputStart)
        outputStart = 0
    }

    /// nghttp2_strerror(3).
    static func words(_ code: Int) -> String {
        String(cString: nghttp2_strerror(Int32(clamping: code)))
    }
}
