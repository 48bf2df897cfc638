import Runtime

/// When another connection is made, and what is learned from each.
extension ClientEngine {
    func connectIfNeeded() {
        var usable = 0
        for connection in connections {
            switch connection.state {
            case .opening: return
            case .open:
                usable += 1
                // Where first requests go alone, a newcomer's decides how many may follow.
                let isProbing = configuration.firstRequestAlone && !connection.isProven
                if connection.room > 0 || isProbing { return }
            case .retiring, .closed: break
            }
        }
        guard usable < configuration.connections else { return }
        if let connectAt, connectAt > loop.now { return }
        connect()
    }

    private func connect() {
        connectAt = nil
        lastNumber += 1
        connections.append(ClientConnection(self, number: lastNumber))
    }

    func connectionOpened(_ connection: ClientConnection) {
        connectFault = nil
        counts.connects.add(1, authority, "opened")
        log.debug("http2 connection opened", ["connection": .count(connection.number)])
    }

    func connectionAnswered(_ connection: ClientConnection) {
        backoff.succeed()
        connectFault = nil
    }

    func goawayCame(_ connection: ClientConnection, lastStream: Int32, code: UInt32, words: String)
    {
        counts.goaways.add(1, authority)
        if connection.answers == 0, lastStream == 0 { postponeConnect() }
        log.info(
            "http2 connection got GOAWAY",
            [
                "connection": .count(connection.number), "last_stream": .count(lastStream),
                "code": .count(code), "words": .text(String(words.prefix(200))),
            ])
    }

    func connectionClosed(_ connection: ClientConnection, wasOpening: Bool, _ reason: HTTP2Reason) {
        connections.removeAll { $0 === connection }
        guard !isClosed else { return }
        // One that opens and never answers is no better than one that does not open.
        if connection.answers == 0, case .connectionLost(let words) = reason {
            connectFault = words
        }
        if wasOpening {
            counts.connects.add(1, authority, "failed")
            log.warning("http2 connection failed", ["words": .text("\(reason)")])
        } else {
            log.debug(
                "http2 connection ended",
                ["connection": .count(connection.number), "words": .text("\(reason)")])
        }
        if connection.answers == 0 { postponeConnect() }
    }

    private func postponeConnect() {
        let time = loop.now + backoff.fail(random: .random(in: 0.5...1))
        connectAt = max(connectAt ?? time, time)
        loop.at(time) {}
    }
}
