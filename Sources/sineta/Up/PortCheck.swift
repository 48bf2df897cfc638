import Glibc
import Runtime

/// Whether a port can be had, asked before anything is started: a port that is taken is what a
/// second `up` meets, and it should hear of it in one line and at once.
enum PortCheck {
    /// With port 0 only the address is asked for.
    ///
    /// - Parameters:
    ///   - variable: what to set to another port.
    ///   - host: what to set to another address; `variable` when it holds both.
    /// - Throws: `CommandFault` with what to do.
    static func require(
        _ endpoint: ListenAddress, _ variable: String, host: String? = nil
    ) throws(CommandFault) {
        guard let code = refusal(endpoint) else { return }
        let place = "\(NetworkAddress.inURL(endpoint.host)):\(endpoint.port)"
        switch code {
        case EADDRINUSE:
            throw CommandFault(
                .failed,
                "\(variable): \(place) is taken: end the process that has it (ss -ltnp shows it), "
                    + "or set \(variable) to another; 0 takes a free one")
        case EADDRNOTAVAIL:
            let host = host ?? variable
            throw CommandFault(
                .failed,
                "\(host): this machine has no address \(endpoint.host): set \(host) to one of its "
                    + "own, as 127.0.0.1")
        case EACCES:
            throw CommandFault(
                .failed, "\(variable): \(place) needs root: set \(variable) to a port above 1023")
        default:
            throw CommandFault(
                .failed,
                "\(variable): cannot listen on \(place): \(String(cString: strerror(code)))")
        }
    }

    /// Binds and lets go again; the error's number when that is refused.
    private static func refusal(_ endpoint: ListenAddress) -> Int32? {
        let isSix = endpoint.host.contains(":")
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(isSix ? AF_INET6 : AF_INET, kind, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var yes: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let port = in_port_t(UInt16(endpoint.port).bigEndian)
        let result: Int32
        if isSix {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port
            inet_pton(AF_INET6, endpoint.host, &address.sin6_addr)
            result = bind(descriptor, &address)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port
            inet_pton(AF_INET, endpoint.host, &address.sin_addr)
            result = bind(descriptor, &address)
        }
        return result == 0 ? nil : errno
    }

    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
