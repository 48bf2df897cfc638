import COpenSSL
import Glibc
import Runtime

/// Makes one TLS connection: looks the names up anew, tries the addresses in turn, checks the
/// certificate and that both sides speak HTTP/2.
///
/// Its outcome comes once, in a later job of the loop, unless it is cancelled before.
final class ClientOpener: EventSource, @unchecked Sendable {
    // @unchecked: touched on the loop's thread only; the thread that looks names up merely keeps
    // it.
    typealias Outcome = Result<TLSStream, TLSFault>

    private let loop: EventLoop
    private let origin: HTTP2Origin
    private let context: Result<TLSContext, TLSFault>
    private var completion: ((Outcome) -> Void)?
    private var addresses: [SocketAddress] = []
    private var lastFault = TLSFault(words: "no address")
    private var tls: TLSStream?
    private var connecting: Int32 = -1
    private var watch: UInt64 = 0

    init(_ engine: ClientEngine, completion: @escaping (Outcome) -> Void) {
        loop = engine.loop
        origin = engine.origin
        context = engine.context
        self.completion = completion
    }

    func start() {
        let host = origin.address ?? origin.host
        if let addresses = try? SocketAddress.resolve(host, origin.port, numeric: true) {
            return resolved(.success(addresses))
        }
        // The name servers may take their time, and the loop has other connections to serve.
        Threads.start("resolve") { [self, port = origin.port] in
            let result = Result { () throws(TLSFault) in try SocketAddress.resolve(host, port) }
            loop.post { self.resolved(result) }
        }
    }

    /// Gives up; the outcome will not come.
    func cancel() {
        completion = nil
        drop()
    }

    private func resolved(_ result: Result<[SocketAddress], TLSFault>) {
        guard completion != nil else { return }
        switch result {
        case .failure(let fault): finish(.failure(fault))
        case .success(let found):
            // Each connection begins elsewhere, so that several of them spread.
            addresses = found.shuffled()
            tryNext()
        }
    }

    private func tryNext() {
        guard !addresses.isEmpty else { return finish(.failure(lastFault)) }
        do {
            connecting = try addresses.removeFirst().connect()
            watch = loop.watch(connecting, EventLoop.writable, self)
        } catch {
            lastFault = error
            tryNext()
        }
    }

    func ready(_ events: UInt32) {
        do {
            if let tls { try shake(tls) } else { try connected() }
        } catch {
            lastFault = error
            drop()
            tryNext()
        }
    }

    private func connected() throws(TLSFault) {
        if let fault = SocketAddress.connectFault(of: connecting) { throw fault }
        let context = try context.get()
        loop.unwatch(watch, connecting)
        let descriptor = connecting
        connecting = -1
        let tls = try TLSStream.connecting(context, descriptor, host: origin.host)
        self.tls = tls
        watch = loop.watch(descriptor, EventLoop.writable, self)
        try shake(tls)
    }

    private func shake(_ tls: TLSStream) throws(TLSFault) {
        switch try tls.handshake() {
        case .wantsRead: loop.change(watch, tls.descriptor, EventLoop.readable)
        case .wantsWrite: loop.change(watch, tls.descriptor, EventLoop.writable)
        case .done:
            guard tls.speaksHTTP2 else {
                throw TLSFault(words: "the peer does not offer HTTP/2 by ALPN")
            }
            loop.unwatch(watch, tls.descriptor)
            self.tls = nil
            finish(.success(tls))
        }
    }

    private func drop() {
        if let tls { loop.unwatch(watch, tls.descriptor) }
        tls = nil
        guard connecting >= 0 else { return }
        loop.unwatch(watch, connecting)
        close(connecting)
        connecting = -1
    }

    private func finish(_ outcome: Outcome) {
        addresses = []
        nonisolated(unsafe) let outcome = outcome
        // In a job of its own: whoever waits for it may still be in the middle of starting it.
        loop.post { [self] in
            completion?(outcome)
            completion = nil
        }
    }
}
