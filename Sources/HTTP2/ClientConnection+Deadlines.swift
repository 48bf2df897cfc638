import CNghttp2
import Runtime

extension ClientConnection {
    /// Ends the requests whose deadline has passed, and those that had to be on their way by now
    /// and are not; says when the next one's time comes.
    func expire(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        var next: ContinuousClock.Instant?
        var isSilent = false
        for exchange in streams where !exchange.isDone {
            let isOnItsWay = exchange.isWhole || exchange.isEnded
            let time = isOnItsWay ? exchange.deadline : exchange.startBy
            guard time <= now else {
                next = min(next ?? time, time)
                continue
            }
            let hasExpired = exchange.deadline <= now
            // Without its end a peer processes no request, whatever has left of it.
            let failure =
                hasExpired ? .timeout(wasSent: hasLeft(exchange)) : HTTP2Failure.notStarted
            cancel(exchange)
            engine.finish(exchange, .failure(failure))
            guard hasExpired else { continue }
            hasUnanswered = true
            // Not one byte since the request went out: the peer may be gone without a word.
            guard lastCame <= exchange.sentAt else { continue }
            isSilent = true
            suspect()
        }
        // Neither does it say anything nor take anything: what still lies here must not reach it.
        if isSilent, channel?.isBlocked == true { close("the peer takes nothing any more") }
        return next
    }

    private func cancel(_ exchange: Exchange) {
        guard let channel else { return }
        nghttp2_submit_rst_stream(
            channel.session, sineta_flag_none(), exchange.stream, NGHTTP2_CANCEL.rawValue)
        markDirty()
    }
}
