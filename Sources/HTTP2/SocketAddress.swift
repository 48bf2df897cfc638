import Glibc

/// An IP address and port as the system's calls want it.
struct SocketAddress: Sendable {
    private let storage: sockaddr_storage
    private let length: socklen_t

    private init(_ info: addrinfo) {
        var storage = sockaddr_storage()
        memcpy(&storage, info.ai_addr, Int(info.ai_addrlen))
        self.storage = storage
        length = info.ai_addrlen
    }

    /// All addresses of a host (getaddrinfo(3)). It waits for the name servers, unless `numeric`,
    /// which takes addresses only.
    static func resolve(
        _ host: String, _ port: UInt16, numeric: Bool = false
    ) throws(TLSFault) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (numeric ? AI_NUMERICHOST : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, String(port), &hints, &list)
        guard result == 0 else {
            throw TLSFault(
                words: "cannot resolve \(host): \(String(cString: gai_strerror(result)))")
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let info = next {
            addresses.append(SocketAddress(info.pointee))
            next = info.pointee.ai_next
        }
        return addresses
    }

    /// Begins to connect a new non-blocking socket; its end shows as writable.
    func connect() throws(TLSFault) -> Int32 {
        let descriptor = try makeSocket()
        Self.keepLittleUnsent(descriptor)
        let result = withPointer { Glibc.connect(descriptor, $0, length) }
        guard result == 0 || errno == EINPROGRESS else {
            let fault = TLSFault.system("cannot connect")
            close(descriptor)
            throw fault
        }
        return descriptor
    }

    /// A non-blocking listening socket, and the port that it got.
    func listen() throws(TLSFault) -> (descriptor: Int32, port: UInt16) {
        let descriptor = try makeSocket()
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard withPointer({ bind(descriptor, $0, length) }) == 0,
            Glibc.listen(descriptor, 1024) == 0
        else {
            let fault = TLSFault.system("cannot listen")
            close(descriptor)
            throw fault
        }
        return (descriptor, Self.localPort(of: descriptor))
    }

    private func makeSocket() throws(TLSFault) -> Int32 {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(Int32(storage.ss_family), flags, 0)
        guard descriptor >= 0 else { throw TLSFault.system("no socket") }
        Self.sendAtOnce(descriptor)
        return descriptor
    }

    private func withPointer<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
        withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
        }
    }

    /// Makes an accepted socket as ours are: accept4(2) stands behind _GNU_SOURCE.
    static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        sendAtOnce(descriptor)
    }

    /// Turns Nagle's algorithm off: we coalesce ourselves.
    static func sendAtOnce(_ descriptor: Int32) {
        var yes: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The system takes no more than 16 KiB that it cannot send yet (TCP_NOTSENT_LOWAT, tcp(7)):
    /// what it has taken can not be held back any more.
    static func keepLittleUnsent(_ descriptor: Int32) {
        var bytes: Int32 = 16 << 10
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes,
            socklen_t(MemoryLayout<Int32>.size))
    }

    /// Has close(2) end the connection with a RST and drop what is not sent (SO_LINGER, socket(7)).
    static func discardAtClose(_ descriptor: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger,
            socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    /// What became of a connect that was begun; nil is success.
    static func connectFault(of descriptor: Int32) -> TLSFault? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        return code == 0
            ? nil : TLSFault(words: "cannot connect: \(String(cString: strerror(code)))")
    }

    private static func localPort(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = getsockname(descriptor, $0, &length)
            }
            // The port stands at the same place in both families.
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt16(bigEndian: $0.pointee.sin_port)
            }
        }
    }
}

extension TLSFault {
    /// errno's words after what was tried.
    static func system(_ what: String) -> TLSFault {
        TLSFault(words: "\(what): \(String(cString: strerror(errno)))")
    }
}
