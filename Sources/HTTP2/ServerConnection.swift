import CNghttp2
import COpenSSL
import Glibc
import Runtime

/// One connection of a server; it lives on its loop's thread.
final class ServerConnection: EventSource {
    let number: UInt64
    unowned let owner: ServerLoop
    let handle: HTTP2ServerConnection

    private let tls: TLSStream
    private var channel: Channel?
    private var streams: [Int32: ServerStream] = [:]
    private var watch: UInt64 = 0
    private var isDirty = false
    private var isFrozen = false
    private var isClosed = false
    private var refusesStreams = false
    private var refusalsLeft = 0
    /// What a GOAWAY has named: later streams are not processed, even those that came before it
    /// went out.
    private var lastStream = Int32.max

    var headerLimit: Int { owner.shared.configuration.requestHeaderLimit }
    var bodyLimit: Int { owner.shared.configuration.requestBodyLimit }

    init(_ owner: ServerLoop, _ tls: TLSStream, number: UInt64) {
        self.owner = owner
        self.tls = tls
        self.number = number
        handle = HTTP2ServerConnection(number, owner)
    }

    func start() {
        handle.attach(self)
        watch = owner.loop.watch(tls.descriptor, EventLoop.readable, self)
    }

    // MARK: Bytes

    func ready(_ events: UInt32) {
        guard let channel else { return shake() }
        if events & (EventLoop.readable | EventLoop.broken) != 0 {
            let (end, came) = channel.receive()
            if came { markDirty() }
            if end != nil { return close() }
        }
        if events & EventLoop.writable != 0 { markDirty() }
    }

    private func shake() {
        guard let progress = try? tls.handshake() else { return close() }
        switch progress {
        case .wantsRead: owner.loop.change(watch, tls.descriptor, EventLoop.readable)
        case .wantsWrite: owner.loop.change(watch, tls.descriptor, EventLoop.writable)
        case .done:
            guard tls.speaksHTTP2,
                let session = ServerSession.make(
                    for: self, maxStreams: owner.shared.configuration.maxConcurrentStreams)
            else { return close() }
            channel = Channel(tls, session)
            owner.loop.change(watch, tls.descriptor, EventLoop.readable)
            owner.shared.connections.withLock { $0[number] = handle }
            owner.shared.onConnection(handle)
            markDirty()
            ready(EventLoop.readable)
        }
    }

    private func markDirty() {
        guard !isDirty, !isClosed else { return }
        isDirty = true
        owner.flushLater(self)
    }

    func flush() {
        isDirty = false
        guard let channel, !isClosed, !isFrozen else { return }
        let wasBlocked = channel.isBlocked
        if channel.flush() != nil || channel.isFinished { return close() }
        if channel.isBlocked != wasBlocked {
            let more = channel.isBlocked ? EventLoop.writable : 0
            owner.loop.change(watch, tls.descriptor, EventLoop.readable | more)
        }
    }

    // MARK: Requests

    func began(_ stream: ServerStream) {
        guard let channel else { return }
        streams[stream.id] = stream
        nghttp2_session_set_stream_user_data(
            channel.session, stream.id, Unmanaged.passUnretained(stream).toOpaque())
    }

    func ended(_ stream: ServerStream) { streams[stream.id] = nil }

    func requestCame(_ stream: ServerStream) {
        guard stream.id <= lastStream else { return }
        if refusesStreams || refusalsLeft > 0 {
            refusalsLeft = max(0, refusalsLeft - 1)
            return reset(stream.id, NGHTTP2_REFUSED_STREAM.rawValue)
        }
        guard !stream.isTooLarge else {
            return respond(stream.id, HTTP2Response(status: 413))
        }
        let request = HTTP2ServerRequest(
            method: stream.method, path: stream.path, authority: stream.authority,
            headers: stream.headers, body: stream.body, stream: stream.id, connection: handle)
        stream.headers = []
        stream.body = []
        owner.shared.handler(request, HTTP2Responder(handle, stream.id))
    }

    /// nghttp2_submit_response(3); nothing happens when the stream is gone.
    func respond(_ id: Int32, _ response: HTTP2Response) {
        guard let channel, let stream = streams[id] else { return }
        owner.fields.clear()
        owner.fields.add(":status", String(response.status))
        owner.fields.add(response.headers)
        stream.response = response.body
        stream.responseOffset = 0
        _ = owner.fields.withFields { fields, count in
            guard !stream.response.isEmpty else {
                return nghttp2_submit_response(channel.session, id, fields, count, nil)
            }
            var body = nghttp2_data_provider()
            body.source.ptr = Unmanaged.passUnretained(stream).toOpaque()
            body.read_callback = readResponseBody
            return nghttp2_submit_response(channel.session, id, fields, count, &body)
        }
        markDirty()
    }

    func reset(_ id: Int32, _ code: UInt32) {
        guard let channel else { return }
        nghttp2_submit_rst_stream(channel.session, sineta_flag_none(), id, code)
        markDirty()
    }

    // MARK: What a provider may do to a client

    func goaway(_ lastStream: Int32?, _ code: UInt32, _ words: [UInt8]) {
        guard let channel else { return }
        if let lastStream {
            self.lastStream = min(self.lastStream, lastStream)
            nghttp2_submit_goaway(
                channel.session, sineta_flag_none(), lastStream, code, words, words.count)
        } else {
            nghttp2_submit_shutdown_notice(channel.session)
        }
        markDirty()
    }

    func setMaxConcurrentStreams(_ count: UInt32) {
        guard let channel else { return }
        ServerSession.submitLimit(channel.session, count)
        markDirty()
    }

    func refuseStreams(_ count: Int?) {
        refusesStreams = count == nil
        refusalsLeft = count ?? 0
    }

    func freeze() {
        guard !isFrozen, !isClosed else { return }
        isFrozen = true
        owner.loop.unwatch(watch, tls.descriptor)
    }

    func thaw() {
        guard isFrozen, !isClosed else { return }
        isFrozen = false
        let more = channel?.isBlocked == true ? EventLoop.writable : 0
        watch = owner.loop.watch(tls.descriptor, EventLoop.readable | more, self)
        markDirty()
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        if !isFrozen { owner.loop.unwatch(watch, tls.descriptor) }
        tls.sayGoodbye()
        handle.detach()
        owner.ended(self)
        // No callback of the session may be on the stack when it goes, and the streams with it.
        owner.loop.post { [last = Last(self)] in last.drop() }
    }
}

/// Holds a closed connection for one more round of its loop.
private final class Last: @unchecked Sendable {
    // @unchecked: made and dropped on the loop's thread.
    private var connection: ServerConnection?

    init(_ connection: ServerConnection) { self.connection = connection }

    func drop() { connection = nil }
}
