import Glibc
import Runtime
import Values

/// One connection through a `FaultProxy`: two sockets and a thread for each way.
final class FaultLine: Sendable {
    private let client: Int32
    private let server: Int32
    private let state: Lock<FaultProxy.State>
    private let isOver = Lock(false)

    private init(client: Int32, server: Int32, state: Lock<FaultProxy.State>) {
        self.client = client
        self.server = server
        self.state = state
    }

    deinit {
        close(client)
        close(server)
    }

    static func accept(
        _ listener: Int32, _ upstream: FaultProxy.Endpoint, _ state: Lock<FaultProxy.State>
    ) {
        defer { close(listener) }
        while true {
            let client = Glibc.accept(listener, nil, nil)
            if client < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            guard let server = FaultSockets.connect(upstream) else {
                close(client)
                continue
            }
            FaultLine(client: client, server: server, state: state).start()
        }
    }

    private func start() {
        let isStopped = state.withLock { state in
            state.accepted += 1
            state.lines[ObjectIdentifier(self)] = self
            return state.isStopped
        }
        if isStopped { reset() }
        Threads.start("fault-up") { [self] in pump(from: client, to: server, .toServer) }
        Threads.start("fault-down") { [self] in pump(from: server, to: client, .toClient) }
    }

    /// Ends both sides; on TCP with a RST, since unread or unsent data is thrown away.
    func reset() {
        isOver.withLock { $0 = true }
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        for socket in [client, server] {
            setsockopt(
                socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
            shutdown(socket, Int32(SHUT_RDWR))
        }
    }

    private func pump(from source: Int32, to target: Int32, _ way: FaultProxy.Direction) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            // Looked at without waiting, so that a fault set meanwhile stops the reading at once.
            let isStill = state.withLock { $0.fault } == .halfOpen
            let count = isStill ? -1 : recv(source, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if isStill || (count < 0 && (errno == EAGAIN || errno == EINTR)) {
                // A socket that was shut down says so by count 0; while nothing is read, by this.
                if isOver.withLock({ $0 }) { break }
                usleep(500)
                continue
            }
            guard count > 0, pass(buffer[..<count], to: target, way) else { break }
        }
        isOver.withLock { $0 = true }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
        _ = state.withLock { $0.lines.removeValue(forKey: ObjectIdentifier(self)) }
    }

    /// Hands a piece on as the fault of the moment has it; false when the connection is over.
    private func pass(
        _ piece: ArraySlice<UInt8>, to target: Int32, _ way: FaultProxy.Direction
    ) -> Bool {
        switch state.withLock({ $0.fault }) {
        case .none, .halfOpen: return write(piece, to: target)
        case .delay(let duration):
            usleep(UInt32(clamping: duration.microseconds))
            return write(piece, to: target)
        case .oneByteWrites:
            return piece.allSatisfy { write([$0], to: target) }
        case .swallow(let swallowed):
            return swallowed == way || write(piece, to: target)
        case .blackHole: return true
        case .reset(let limit, let counted):
            guard counted == way else { return write(piece, to: target) }
            let before = state.withLock { state in
                defer { state.passed += piece.count }
                return state.passed
            }
            if before + piece.count < limit { return write(piece, to: target) }
            _ = write(piece.prefix(max(0, limit - before)), to: target)
            reset()
            return false
        }
    }

    private func write(_ piece: ArraySlice<UInt8>, to target: Int32) -> Bool {
        var rest = piece
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
