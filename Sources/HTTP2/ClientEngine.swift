import CNghttp2
import Glibc
import Runtime

/// All state of a client: its waiting requests and its connections. It lives on the loop's thread.
final class ClientEngine: @unchecked Sendable {
    // @unchecked: everything but `mail` and `gauges` is touched on the loop's thread only.
    let loop = EventLoop()
    let origin: HTTP2Origin
    let authority: String
    let configuration: HTTP2ClientConfiguration
    let context: Result<TLSContext, TLSFault>
    let gauges: ClientGauges

    let log: Log
    let counts: ClientCounts
    var waiting = WaitingLine()
    var connections: [ClientConnection] = []
    var lastNumber: UInt64 = 0
    var backoff: Backoff
    var connectAt: ContinuousClock.Instant?
    /// What the last connection met that did not come to an answer.
    var connectFault: String?
    var sweepAt: ContinuousClock.Instant?
    var delayed: [ObjectIdentifier: Exchange] = [:]
    private(set) var isClosed = false
    private let mail = Lock<[Exchange]>([])
    private var dirty: [ClientConnection] = []
    private var fields = FieldBlock()
    private var drained: (() -> Void)?

    init(
        _ origin: HTTP2Origin, _ configuration: HTTP2ClientConfiguration, log: Log,
        counts: ClientCounts, gauges: ClientGauges
    ) {
        self.origin = origin
        authority = origin.authority
        self.configuration = configuration
        self.log = log.with(["origin": .text(authority)])
        self.counts = counts
        self.gauges = gauges
        backoff = Backoff(base: configuration.reconnectBase, cap: configuration.reconnectCap)
        context = Result { () throws(TLSFault) in try TLSContext(trusting: configuration.trust) }
        gauges.publish(limit: coldLimit, newest: 0)
    }

    func start() {
        // The loop keeps the engine until `close` has stopped it.
        loop.afterRound = { [self] in endRound() }
        loop.atEnd = { [self] in openMail() }
        loop.start("http2-client")
    }

    // MARK: From any thread

    func take(_ exchange: Exchange) {
        let isFirst = mail.withLock { mail in
            mail.append(exchange)
            return mail.count == 1
        }
        guard isFirst, !loop.post({ [self] in openMail() }) else { return }
        refuseMail()
    }

    // MARK: Requests

    private func takeMail() -> [Exchange] {
        mail.withLock { mail in
            defer { mail = [] }
            return mail
        }
    }

    private func refuseMail() {
        for exchange in takeMail() { finish(exchange, .failure(.notSent(.closed))) }
    }

    private func openMail() {
        guard !isClosed else { return refuseMail() }
        let exchanges = takeMail()
        var oldest: UInt64 = 0
        for exchange in exchanges {
            oldest = max(oldest, exchange.newerThan)
            watchDeadline(exchange.startBy)
        }
        if oldest > 0 {
            for connection in connections where connection.number <= oldest { connection.retire() }
        }
        waiting.append(exchanges)
    }

    func finish(_ exchange: Exchange, _ result: Result<HTTP2Response, HTTP2Failure>) {
        guard !exchange.isDone else { return }
        gauges.leave()
        exchange.finish(result)
    }

    /// Takes back a request of which nothing has reached the peer, to send it at once.
    func giveBack(_ exchange: Exchange) {
        guard !exchange.isDone else { return }
        counts.resends.add(1, authority, "lost")
        waitAgain(exchange)
    }

    /// Puts a request before the others, to be sent again if it may still start.
    private func waitAgain(_ exchange: Exchange) {
        exchange.rewind()
        watchDeadline(exchange.startBy)
        waiting.putBack(exchange)
    }

    /// Takes back a request that the peer has declared unprocessed.
    ///
    /// Behind a GOAWAY it goes to a new connection at once. Refused alone it waits a little, and a
    /// connection that refuses the same request twice is left.
    func refused(_ exchange: Exchange, by connection: ClientConnection) {
        guard !exchange.isDone else { return }
        guard connection.state == .open else {
            counts.resends.add(1, authority, "goaway")
            return waitAgain(exchange)
        }
        counts.resends.add(1, authority, "refused")
        if exchange.refusedBy == connection.number { connection.retire() }
        exchange.refusedBy = connection.number
        exchange.refusals += 1
        let wait = Backoff.delay(
            exchange.refusals, base: .milliseconds(10), cap: .seconds(1),
            random: .random(in: 0.5...1))
        exchange.rewind()
        watchDeadline(exchange.startBy)
        delayed[ObjectIdentifier(exchange)] = exchange
        loop.at(loop.now + wait) { [unowned self] in
            guard delayed.removeValue(forKey: ObjectIdentifier(exchange)) != nil else { return }
            waiting.putBack(exchange)
        }
    }

    /// nghttp2_submit_request(3): the stream's number, or a negative error. The session keeps the
    /// exchange until the stream closes.
    func submit(_ exchange: Exchange, to session: OpaquePointer) -> Int32 {
        let request = exchange.request
        fields.clear()
        fields.add(":method", request.method)
        fields.add(":scheme", "https")
        fields.add(":authority", request.authority ?? authority)
        fields.add(":path", request.path, isSensitive: true)
        if let first = exchange.firstHeader?() {
            fields.add(first.name, first.value, isSensitive: first.isSensitive)
        }
        fields.add(request.headers)
        let owner = Unmanaged.passRetained(exchange)
        let stream = fields.withFields { fields, count in
            guard !request.body.isEmpty else {
                return nghttp2_submit_request(session, nil, fields, count, nil, owner.toOpaque())
            }
            var body = nghttp2_data_provider()
            body.source.ptr = owner.toOpaque()
            body.read_callback = readRequestBody
            return nghttp2_submit_request(session, nil, fields, count, &body, owner.toOpaque())
        }
        if stream < 0 { owner.release() }
        return stream
    }

    // MARK: The end of each round

    func flushLater(_ connection: ClientConnection) { dirty.append(connection) }

    private func endRound() {
        if let sweepAt, sweepAt <= loop.now { sweep() }
        // A little at a time: how much the socket takes decides whether more may open.
        repeat {
            fill()
            let round = dirty
            dirty = []
            for connection in round { connection.flush() }
        } while !dirty.isEmpty || canFill
        if !waiting.isEmpty, !isClosed { connectIfNeeded() }
        publish()
        if let drained, gauges.inFlight == 0 {
            self.drained = nil
            drained()
        }
    }

    private func fill() {
        while let exchange = waiting.first {
            // Asked anew for each: the round may have begun before the process was stopped.
            if exchange.isDone || exchange.startBy <= .now {
                waiting.removeFirst()
                expireUnsent(exchange)
                continue
            }
            guard let connection = roomiest(above: exchange.newerThan) else { break }
            waiting.removeFirst()
            if !connection.open(exchange) { waiting.putBack(exchange) }
        }
    }

    private var canFill: Bool {
        waiting.first.map { roomiest(above: $0.newerThan) != nil } ?? false
    }

    private func roomiest(above number: UInt64) -> ClientConnection? {
        var best: (connection: ClientConnection, free: Int)?
        for connection in connections where connection.number > number {
            let free = connection.free
            if free > best?.free ?? 0 { best = (connection, free) }
        }
        return best?.connection
    }

    private func publish() {
        var limit = 0
        var usable = 0
        var best = 0
        for connection in connections where connection.state == .open {
            usable += 1
            limit += connection.limit
            if connection.isProven { best = max(best, connection.limit) }
        }
        // Connections that are not there yet will carry about what the best of the others does.
        limit += max(0, configuration.connections - usable) * best
        gauges.publish(limit: usable == 0 ? coldLimit : limit, newest: newestOpen)
        gauges.publish(connections: connections.count)
    }

    /// What may be handed over while there is no connection to ask.
    private var coldLimit: Int {
        configuration.firstRequestAlone ? 1 : min(100, configuration.streamsPerConnection)
    }

    /// The number of the newest connection that has carried or may carry a request.
    private var newestOpen: UInt64 {
        connections.last { $0.state != .opening }?.number ?? gauges.newest
    }

    // MARK: The end

    /// Calls `done` when nothing is in flight or the deadline has passed.
    func drain(until deadline: Deadline, _ done: @escaping () -> Void) {
        let earlier = drained
        drained = {
            earlier?()
            done()
        }
        loop.at(deadline.instant) { [unowned self] in
            drained?()
            drained = nil
        }
    }

    /// Ends all connections and the thread. Requests that were sent are unknown, the others unsent.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        openMail()
        for connection in connections { connection.close(.closed) }
        for exchange in waiting.remove(where: { _ in true }) + Array(delayed.values) {
            finish(exchange, .failure(.notSent(.closed)))
        }
        delayed = [:]
        drained?()
        drained = nil
        loop.stop()
    }
}
