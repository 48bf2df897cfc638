/// Where a server listens.
public enum HTTPBind: Sendable, Equatable, CustomStringConvertible {
    /// An address or a name of this machine, and a port; port 0 takes a free one.
    case tcp(host: String, port: Int)
    /// A Unix socket, made with the given mode; one that a dead process left is replaced.
    case unix(path: String, mode: UInt32)

    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path, _): path
        }
    }
}

/// What a server allows, and for how long.
public struct HTTPServerConfiguration: Sendable {
    public var bind: HTTPBind
    /// Threads of libmicrohttpd; handlers run on Swift's pool.
    public var threads = 2
    /// Connections beyond it wait in the backlog.
    public var connectionLimit = 8192
    /// Bytes of all header lines together; more is 431.
    public var headerLimit = 16 << 10
    /// Bytes of the request target; more is 414.
    public var targetLimit = 8 << 10
    /// Bytes of a body, unless the verdict on its head says otherwise; more is 413.
    public var bodyLimit = 1 << 20
    /// From the first byte of a request (or the connection's start) to the end of its head.
    public var headDeadline: Duration = .seconds(10)
    /// From there to the end of its body.
    public var bodyDeadline: Duration = .seconds(30)
    /// From the end of an answer to the first byte of the next request; also how long a client may
    /// take no byte of an answer.
    public var idleTimeout: Duration = .seconds(75)
    /// How long requests in flight may take to end once the server drains.
    public var drain: Duration = .seconds(10)
    /// Bytes of a stream that wait for a slow client before its writer does.
    public var streamBuffer = 64 << 10

    public init(bind: HTTPBind) {
        self.bind = bind
    }
}

/// Why a server does not start: one line that says what to do.
public enum HTTPServerError: Error, Equatable, Sendable, CustomStringConvertible {
    case addressInUse(HTTPBind)
    case addressNotAvailable(HTTPBind)
    case notPermitted(HTTPBind)
    /// A system call failed with this errno.
    case cannotListen(HTTPBind, operation: String, code: Int32)
    case daemonRefused(HTTPBind)

    public var description: String {
        switch self {
        case .addressInUse(let bind):
            "cannot listen on \(bind): it is in use; stop the process that has it (ss -ltnp), "
                + "or set another"
        case .addressNotAvailable(let bind):
            "cannot listen on \(bind): this machine has no such address; set one of its own, "
                + "as 127.0.0.1"
        case .notPermitted(let bind):
            "cannot listen on \(bind): not permitted; set a port above 1023, "
                + "or a path in a folder of your own"
        case .cannotListen(let bind, let operation, let code):
            "cannot listen on \(bind): \(operation) failed with \(SystemWords.of(code))"
        case .daemonRefused(let bind):
            "cannot listen on \(bind): libmicrohttpd did not start; is the limit of open files or "
                + "threads too low (ulimit -n, ulimit -u)?"
        }
    }
}
