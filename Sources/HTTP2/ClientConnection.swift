import CNghttp2
import COpenSSL
import Glibc
import Runtime

/// One connection of a client, from the first SYN to the last byte.
///
/// It decides when it may carry a stream; which request that is, its engine decides.
final class ClientConnection: EventSource {
    enum State: Equatable {
        /// Looking up names, in TCP, in TLS, or waiting for the peer's SETTINGS.
        case opening
        case open
        /// Takes no new stream; ends with its last.
        case retiring
        case closed
    }

    /// Counted from 1 within the client.
    let number: UInt64
    private(set) var state = State.opening
    /// A request was answered 2xx on it.
    private(set) var isProven = false
    private(set) var answers = 0
    private(set) var streams: [Exchange] = []

    unowned let engine: ClientEngine
    private let configuration: HTTP2ClientConfiguration
    private var opener: ClientOpener?
    private(set) var channel: Channel?
    private var watch: UInt64 = 0
    private var isDirty = false
    private(set) var lastCame: ContinuousClock.Instant
    private var pingedAt: ContinuousClock.Instant?
    /// A request's deadline has passed without an answer.
    var hasUnanswered = false

    var responseHeaderLimit: Int { configuration.responseHeaderLimit }
    var responseBodyLimit: Int { configuration.responseBodyLimit }

    init(_ engine: ClientEngine, number: UInt64) {
        self.engine = engine
        self.number = number
        configuration = engine.configuration
        lastCame = engine.loop.now
        let opener = ClientOpener(engine) { [weak self] outcome in self?.opened(outcome) }
        self.opener = opener
        engine.loop.at(engine.loop.now + configuration.connectTimeout) { [weak self] in
            guard let self, state == .opening else { return }
            close("no connection within \(configuration.connectTimeout)")
        }
        opener.start()
    }

    // MARK: Capacity

    /// How many streams it may carry at once now; 0 until the peer's SETTINGS have come.
    var limit: Int {
        guard state == .open, let channel else { return 0 }
        let remote = nghttp2_session_get_remote_settings(
            channel.session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        let limit = min(configuration.streamsPerConnection, Int(remote))
        return configuration.firstRequestAlone && !isProven ? min(1, limit) : limit
    }

    /// How many more it may carry.
    var room: Int { max(0, limit - streams.count) }

    /// How many of them may open now: none while their bytes would have to wait.
    var free: Int { channel?.takesMore == true ? room : 0 }

    // MARK: Streams

    /// Gives the request a stream. False: nghttp2 has no stream left, and the connection retires.
    func open(_ exchange: Exchange) -> Bool {
        guard let channel else { return false }
        let stream = engine.submit(exchange, to: channel.session)
        guard stream > 0 else {
            guard stream == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE.rawValue else {
                let words = Channel.words(Int(stream))
                engine.finish(exchange, .failure(.notSent(.invalidRequest(words))))
                return true
            }
            retire()
            return false
        }
        exchange.stream = stream
        exchange.outputOffset = channel.produced
        exchange.sentAt = engine.loop.now
        exchange.index = streams.count
        streams.append(exchange)
        // The fields are about as long as this; no more depends on it than how much waits.
        channel.entrust(exchange.request.body.count + 512)
        markDirty()
        return true
    }

    func streamClosed(_ exchange: Exchange, code: UInt32) {
        forget(exchange)
        if exchange.isEnded, !exchange.isTooLarge {
            answers += 1
            isProven = isProven || (200..<300).contains(exchange.response.status)
            exchange.response.connection = number
            engine.connectionAnswered(self)
            engine.finish(exchange, .success(exchange.response))
        } else if exchange.isTooLarge {
            engine.finish(exchange, .failure(.unknown(.responseTooLarge)))
        } else if code == NGHTTP2_REFUSED_STREAM.rawValue {
            engine.refused(exchange, by: self)
        } else {
            engine.finish(exchange, .failure(.unknown(.reset(code))))
        }
        markDirty()
    }

    private func forget(_ exchange: Exchange) {
        let last = streams.removeLast()
        guard last !== exchange else { return }
        streams[exchange.index] = last
        last.index = exchange.index
    }

    /// Whether any byte of the request may have reached the peer.
    func hasLeft(_ exchange: Exchange) -> Bool {
        (channel?.attempted ?? 0) > exchange.outputOffset
    }

    // MARK: The peer

    func settingsCame() {
        guard state == .opening else { return markDirty() }
        state = .open
        engine.connectionOpened(self)
    }

    func goawayCame(lastStream: Int32, code: UInt32, words: String) {
        engine.goawayCame(self, lastStream: lastStream, code: code, words: words)
        retire()
    }

    /// Takes no new stream from now on; the ones it has may end.
    func retire() {
        guard state == .open || state == .opening else { return }
        // Not wanted any more; that is no fault of the peer.
        guard state == .open else { return close(.closed) }
        state = .retiring
        markDirty()
    }

    /// Retires a connection that may be half-open, and asks the peer for a sign of life.
    func suspect() {
        retire()
        guard pingedAt == nil else { return }
        ping()
        engine.loop.at(engine.loop.now + configuration.pingTimeout) { [weak self] in
            self?.judgePing()
        }
    }

    private func ping() {
        guard let channel else { return }
        nghttp2_submit_ping(channel.session, sineta_flag_none(), nil)
        pingedAt = engine.loop.now
        markDirty()
    }

    /// Closes the connection if a PING was left unanswered for too long.
    private func judgePing() {
        guard state == .open || state == .retiring, let asked = pingedAt else { return }
        if lastCame >= asked {
            pingedAt = nil
        } else if engine.loop.now >= asked + configuration.pingTimeout {
            close("no answer to PING")
        }
    }

    /// Asks a connection that was silent for long, again and again until it is closed.
    private func watchLife() {
        judgePing()
        guard state != .closed else { return }
        let now = engine.loop.now
        if state != .opening, pingedAt == nil, now >= lastCame + configuration.pingAfterIdle {
            ping()
        }
        // Before the peer's SETTINGS no PING goes out; the time for connecting bounds that wait.
        let since = state == .opening ? now : lastCame
        let next = pingedAt.map { $0 + configuration.pingTimeout }
        engine.loop.at(next ?? since + configuration.pingAfterIdle) { [weak self] in
            self?.watchLife()
        }
    }

    // MARK: Bytes

    private func opened(_ outcome: Result<TLSStream, TLSFault>) {
        opener = nil
        guard state == .opening else { return }
        switch outcome {
        case .failure(let fault): close(fault.words)
        case .success(let tls):
            guard let session = ClientSession.make(for: self) else { return close("no memory") }
            channel = Channel(tls, session)
            watch = engine.loop.watch(tls.descriptor, EventLoop.readable, self)
            lastCame = engine.loop.now
            watchLife()
            markDirty()
            // The peer's SETTINGS may have come along with the end of the handshake.
            ready(EventLoop.readable)
        }
    }

    func ready(_ events: UInt32) {
        guard let channel else { return }
        if events & (EventLoop.readable | EventLoop.broken) != 0 {
            let (end, came) = channel.receive()
            if came {
                lastCame = engine.loop.now
                markDirty()
            }
            if let end { return close(end) }
        }
        if events & EventLoop.writable != 0 { markDirty() }
    }

    func markDirty() {
        guard !isDirty, state != .closed else { return }
        isDirty = true
        engine.flushLater(self)
    }

    /// Sends what there is to send; called once at the end of the loop's round.
    func flush() {
        isDirty = false
        guard let channel, state != .closed else { return }
        if state == .retiring, streams.isEmpty {
            nghttp2_session_terminate_session(channel.session, NGHTTP2_NO_ERROR.rawValue)
        }
        let wasBlocked = channel.isBlocked
        if let end = channel.flush() { return close(end) }
        if channel.isFinished { return close("done") }
        if channel.isBlocked != wasBlocked {
            let more = channel.isBlocked ? EventLoop.writable : 0
            engine.loop.change(watch, channel.tls.descriptor, EventLoop.readable | more)
        }
    }

    /// Ends the connection; requests of which nothing has left go back, the others are unknown.
    func close(_ words: String) { close(.connectionLost(words)) }

    func close(_ reason: HTTP2Reason) {
        guard state != .closed else { return }
        let wasOpening = state == .opening
        state = .closed
        opener?.cancel()
        opener = nil
        let lost = streams
        let left = lost.map { hasLeft($0) }
        streams = []
        if let channel {
            engine.loop.unwatch(watch, channel.tls.descriptor)
            if hasUnanswered || channel.isBlocked {
                // What was given up must not arrive when the peer comes back.
                SocketAddress.discardAtClose(channel.tls.descriptor)
            } else {
                channel.tls.sayGoodbye()
            }
            engine.loop.post { [retired = Retired(channel)] in retired.drop() }
        }
        channel = nil
        for (exchange, hasLeft) in zip(lost, left) {
            Unmanaged.passUnretained(exchange).release()
            if hasLeft {
                engine.finish(exchange, .failure(.unknown(reason)))
            } else {
                engine.giveBack(exchange)
            }
        }
        engine.connectionClosed(self, wasOpening: wasOpening, reason)
    }
}

/// Holds a session until no callback of it is on the stack any more.
private final class Retired: @unchecked Sendable {
    // @unchecked: made and dropped on the loop's thread.
    private var channel: Channel?

    init(_ channel: Channel) { self.channel = channel }

    func drop() { channel = nil }
}
