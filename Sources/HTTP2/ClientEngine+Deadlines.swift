import Runtime

/// All deadlines are looked at together, when the nearest has passed: a request that is answered in
/// time costs nothing here.
extension ClientEngine {
    /// Has them looked at when this one has passed.
    func watchDeadline(_ deadline: ContinuousClock.Instant) {
        guard deadline < sweepAt ?? deadline + .seconds(1) else { return }
        sweepAt = deadline
        loop.at(deadline) {}
    }

    func sweep() {
        sweepAt = nil
        let now = loop.now
        var next: ContinuousClock.Instant?
        func consider(_ time: ContinuousClock.Instant?) {
            if let time { next = min(next ?? time, time) }
        }
        for connection in connections { consider(connection.expire(at: now)) }
        for exchange in waiting.remove(where: { $0.startBy <= now || $0.isDone }) {
            expireUnsent(exchange)
        }
        for exchange in delayed.values where exchange.startBy <= now {
            delayed[ObjectIdentifier(exchange)] = nil
            expireUnsent(exchange)
        }
        consider(waiting.startBy)
        for exchange in delayed.values { consider(exchange.startBy) }
        // Deadlines that lie close together are served in one go.
        if let next { watchDeadline(max(next, now + .milliseconds(5))) }
    }

    /// Ends a request that has no stream. While no connection can be made that is the peer's fault,
    /// whatever time ran out.
    func expireUnsent(_ exchange: Exchange) {
        let timeout =
            exchange.startBy < exchange.deadline
            ? HTTP2Failure.notStarted : .timeout(wasSent: false)
        finish(exchange, .failure(connectFault.map { .connect($0) } ?? timeout))
    }
}
