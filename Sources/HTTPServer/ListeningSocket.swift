import CMicrohttpd
import Glibc

enum SystemWords {
    /// errno's text.
    static func of(_ code: Int32) -> String { String(cString: strerror(code)) }
}

/// A socket that listens. Whoever takes its descriptor closes it.
struct ListeningSocket {
    let descriptor: Int32
    /// The port it got; nil for a Unix socket.
    let port: Int?

    init(_ bind: HTTPBind) throws(HTTPServerError) {
        switch bind {
        case .tcp(let host, let port):
            descriptor = try Self.tcp(bind, host: host, port: port)
        case .unix(let path, let mode):
            descriptor = try Self.unix(bind, path: path, mode: mode)
        }
        let bound = sineta_bound_port(descriptor)
        port = bound >= 0 ? Int(bound) : nil
    }

    private static func tcp(
        _ bind: HTTPBind, host: String, port: Int
    ) throws(HTTPServerError) -> Int32 {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let bare =
            host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        guard getaddrinfo(bare, String(port), &hints, &list) == 0, let list else {
            throw .addressNotAvailable(bind)
        }
        defer { freeaddrinfo(list) }
        let descriptor = try make(bind, family: list.pointee.ai_family)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard Glibc.bind(descriptor, list.pointee.ai_addr, list.pointee.ai_addrlen) == 0 else {
            throw refusal(bind, "bind", closing: descriptor)
        }
        return try listening(bind, descriptor)
    }

    private static func unix(
        _ bind: HTTPBind, path: String, mode: UInt32
    ) throws(HTTPServerError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw .cannotListen(bind, operation: "naming the socket", code: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = try make(bind, family: AF_UNIX)
        if connects(address) {
            close(descriptor)
            throw .addressInUse(bind)
        }
        unlink(path)
        guard withGeneric(address, { Glibc.bind(descriptor, $0, $1) }) == 0,
            chmod(path, mode) == 0
        else { throw refusal(bind, "bind", closing: descriptor) }
        return try listening(bind, descriptor)
    }

    /// Whether a living process answers at the path: a socket file outlives the one that made it.
    private static func connects(_ address: sockaddr_un) -> Bool {
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard probe >= 0 else { return false }
        defer { close(probe) }
        return withGeneric(address) { connect(probe, $0, $1) } == 0
    }

    private static func withGeneric(
        _ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func make(_ bind: HTTPBind, family: Int32) throws(HTTPServerError) -> Int32 {
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(family, Int32(kind), 0)
        guard descriptor >= 0 else {
            throw .cannotListen(bind, operation: "socket", code: errno)
        }
        return descriptor
    }

    private static func listening(
        _ bind: HTTPBind, _ descriptor: Int32
    ) throws(HTTPServerError) -> Int32 {
        guard listen(descriptor, 1024) == 0 else {
            throw refusal(bind, "listen", closing: descriptor)
        }
        return descriptor
    }

    private static func refusal(
        _ bind: HTTPBind, _ operation: String, closing descriptor: Int32
    ) -> HTTPServerError {
        let code = errno
        close(descriptor)
        switch code {
        case EADDRINUSE: return .addressInUse(bind)
        case EADDRNOTAVAIL: return .addressNotAvailable(bind)
        case EACCES, EPERM, EROFS: return .notPermitted(bind)
        default: return .cannotListen(bind, operation: operation, code: code)
        }
    }
}
