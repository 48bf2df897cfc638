import CMicrohttpd
import Glibc
public import Runtime
import Values

/// An HTTP/1.1 server on libmicrohttpd (https://www.gnu.org/software/libmicrohttpd/manual/).
///
/// Its threads read and write; handlers are async and run on Swift's pool, while their connection
/// is suspended. A malformed head is answered by its bare status, a deadline by nothing, and both
/// end the connection.
public final class HTTPServer: Service {
    private struct Running: @unchecked Sendable {
        // @unchecked: the daemon is stopped once, by whoever takes this out of the lock.
        let daemon: OpaquePointer
        let context: UnsafeMutableRawPointer
        let port: Int?
    }

    public let name: String
    private let core: ServerCore
    private let log: Log
    private let running = Lock<Running?>(nil)

    /// - Parameters:
    ///   - name: names the server in log lines and metrics.
    ///   - head: decides on a request by its head, before its body is read; it must be quick.
    ///   - tooLarge: makes the answer to a body beyond its limit, which it is given.
    ///   - handler: answers a whole request. It is cancelled when draining takes too long.
    public init(
        name: String = "http", configuration: HTTPServerConfiguration, log: Log, metrics: Metrics,
        head: (@Sendable (HTTPRequestHead) -> HTTPVerdict)? = nil,
        tooLarge: @escaping @Sendable (HTTPRequestHead, Int) -> HTTPResponse = { _, _ in
            .text(413, "", route: "refused")
        },
        handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) {
        self.name = name
        self.log = log
        let limit = configuration.bodyLimit
        core = ServerCore(
            name: name, configuration: configuration, log: log, metrics: metrics,
            verdict: head ?? { _ in .read(bodyLimit: limit) }, tooLarge: tooLarge,
            handler: handler)
    }

    /// The port it listens on; nil before it does, and on a Unix socket.
    public var port: Int? { running.withLock { $0?.port } }

    /// Listens; requests are answered from now on.
    ///
    /// - Returns: the port; nil on a Unix socket.
    @discardableResult
    public func start() throws(HTTPServerError) -> Int? {
        let configuration = core.configuration
        let socket = try ListeningSocket(configuration.bind)
        let context = Unmanaged.passRetained(core).toOpaque()
        // Room for the limits twice over, so that they are met before libmicrohttpd's own.
        let memory = 2 * configuration.headerLimit + configuration.targetLimit + (8 << 10)
        core.startWatching()
        guard
            let daemon = sineta_mhd_start(
                socket.descriptor, UInt32(configuration.threads), memory,
                UInt32(configuration.connectionLimit),
                UInt32(clamping: max(1, configuration.idleTimeout.components.seconds)),
                answerRequest, noteConnection, completeRequest, beginRequest, context)
        else {
            core.stopWatching()
            close(socket.descriptor)
            Unmanaged<ServerCore>.fromOpaque(context).release()
            throw .daemonRefused(configuration.bind)
        }
        running.withLock {
            $0 = Running(daemon: daemon, context: context, port: socket.port)
        }
        log.info(
            "listening", ["server": .text(name), "address": "\(boundAddress(socket.port))"])
        return socket.port
    }

    public func run(until shutdown: Shutdown) async throws {
        if running.withLock({ $0 == nil }) { try start() }
        await shutdown.wait()
        await stop()
    }

    /// Takes no more connections, ends the idle ones, lets requests in flight end within the time
    /// for draining, cuts off the rest. The second call does nothing.
    public func stop() async {
        guard let running = running.withLock({ $0.take() }) else { return }
        stopListening(running.daemon)
        core.beginDraining()
        let drain = UInt64(max(0, core.configuration.drain.microseconds)) * 1000
        await core.registry.waitUntilEmpty(orAt: monotonicNanoseconds() + drain)
        core.abandonAll()
        await withCheckedContinuation { continuation in
            // It joins threads, so it must not run on the pool.
            Threads.start("http-stop") { [core] in
                MHD_stop_daemon(running.daemon)
                core.stopWatching()
                Unmanaged<ServerCore>.fromOpaque(running.context).release()
                continuation.resume()
            }
        }
        log.debug("stopped", ["server": .text(name)])
    }

    /// Closed at once: left open, new clients would hang in its backlog.
    private func stopListening(_ daemon: OpaquePointer) {
        let descriptor = MHD_quiesce_daemon(daemon)
        if descriptor >= 0 { close(descriptor) }
        if case .unix(let path, _) = core.configuration.bind { unlink(path) }
    }

    private func boundAddress(_ port: Int?) -> HTTPBind {
        guard case .tcp(let host, _) = core.configuration.bind, let port else {
            return core.configuration.bind
        }
        return .tcp(host: host, port: port)
    }
}

// MARK: - libmicrohttpd's callbacks

private func core(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
    context.map { Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
}

private func noteConnection(
    _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?,
    _ socketContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ code: MHD_ConnectionNotificationCode
) {
    guard let core = core(context), let handle, let socketContext else { return }
    switch code {
    case .CONNECTION_NOTIFY_STARTED:
        let connection = core.registry.add(descriptor: sineta_mhd_descriptor(handle))
        socketContext.pointee = Unmanaged.passRetained(connection).toOpaque()
        if core.isDraining { core.registry.shut(connection, Int32(SHUT_RD)) }
    case .CONNECTION_NOTIFY_CLOSED:
        guard let pointer = socketContext.pointee else { return }
        socketContext.pointee = nil
        core.registry.remove(Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue())
    @unknown default:
        return
    }
}

/// Called with the target as it came, before libmicrohttpd decodes it.
private func beginRequest(
    _ context: UnsafeMutableRawPointer?, _ uri: UnsafePointer<CChar>?, _ handle: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let core = core(context), let uri, let handle,
        let pointer = sineta_mhd_socket_context(handle)
    else { return nil }
    let connection = Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
    connection.enterHeadFromIdle()
    let exchange = Exchange(
        core: core, connection: connection, handle: handle, target: String(cString: uri))
    hideQuery(uri)
    return Unmanaged.passRetained(exchange).toOpaque()
}

/// Lets the query end at its mark for libmicrohttpd, which has found the mark already and keeps
/// each argument in the connection's memory: nobody asks it for one, and with some thousand of them
/// that memory is full and 0.9.75 neither answers nor goes on. `uri` lies in the connection's own
/// buffer.
private func hideQuery(_ uri: UnsafePointer<CChar>) {
    guard let mark = strchr(uri, Int32(UInt8(ascii: "?"))), mark[1] != 0 else { return }
    mark[1] = 0
}

private func answerRequest(
    _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?,
    _ data: UnsafePointer<CChar>?, _ count: UnsafeMutablePointer<Int>?,
    _ exchange: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let pointer = exchange?.pointee, let method, let count else { return .NO }
    return Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue().handle(
        method: String(cString: method), version: version, data: data, count: &count.pointee)
}

private func completeRequest(
    _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?,
    _ exchange: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_RequestTerminationCode
) {
    guard let pointer = exchange?.pointee else { return }
    exchange?.pointee = nil
    Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue().finish()
}
