import COpenSSL
import Glibc
import Runtime

/// One thread of a server with its connections; the first also listens.
final class ServerLoop: EventSource, @unchecked Sendable {
    // @unchecked: touched on the loop's thread only; what others may use is Sendable by itself.
    let loop = EventLoop()
    let shared: ServerShared
    private var connections: [UInt64: ServerConnection] = [:]
    private var dirty: [ServerConnection] = []
    private var listener: Int32 = -1
    private var watch: UInt64 = 0
    private var siblings: [ServerLoop] = []
    private var turn = 0
    /// Laid out anew for every response.
    var fields = FieldBlock()

    init(_ shared: ServerShared) {
        self.shared = shared
        // The loop keeps us until `close` has stopped it.
        loop.afterRound = { [self] in flushAll() }
    }

    // MARK: Listening

    func listen(_ descriptor: Int32, spreadOver loops: [ServerLoop]) {
        loop.post { [self] in
            listener = descriptor
            siblings = loops
            watch = loop.watch(descriptor, EventLoop.readable, self)
        }
    }

    func ready(_: UInt32) {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                // Out of descriptors, or nobody there any more: the next event tries again.
                return
            }
            SocketAddress.prepare(descriptor)
            let next = siblings[turn % siblings.count]
            turn += 1
            if !next.loop.post({ next.adopt(descriptor) }) { Glibc.close(descriptor) }
        }
    }

    private func adopt(_ descriptor: Int32) {
        // A connection that cannot even begin has no one to tell.
        guard let tls = try? TLSStream.accepting(shared.context, descriptor) else { return }
        let connection = ServerConnection(self, tls, number: shared.nextNumber())
        connections[connection.number] = connection
        connection.start()
    }

    func ended(_ connection: ServerConnection) {
        connections[connection.number] = nil
        _ = shared.connections.withLock { $0.removeValue(forKey: connection.number) }
    }

    // MARK: Sending

    func flushLater(_ connection: ServerConnection) { dirty.append(connection) }

    private func flushAll() {
        while !dirty.isEmpty {
            let round = dirty
            dirty = []
            for connection in round { connection.flush() }
        }
    }

    func close() {
        loop.post { [self] in
            if listener >= 0 {
                loop.unwatch(watch, listener)
                Glibc.close(listener)
                listener = -1
            }
            siblings = []
            for connection in connections.values { connection.close() }
            loop.stop()
        }
    }
}
