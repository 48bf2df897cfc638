import Glibc

/// The sockets of a `FaultProxy`: loopback or Unix.
enum FaultSockets {
    static func listen(_ place: FaultProxy.Endpoint) throws(FaultProxyError) -> Int32 {
        let descriptor = make(place)
        if case .unix(let path) = place { unlink(path) }
        guard withAddress(of: place, { bind(descriptor, $0, $1) }) == 0,
            Glibc.listen(descriptor, 64) == 0
        else {
            close(descriptor)
            throw .cannotListen(errno)
        }
        return descriptor
    }

    static func connect(_ place: FaultProxy.Endpoint) -> Int32? {
        let descriptor = make(place)
        if withAddress(of: place, { Glibc.connect(descriptor, $0, $1) }) == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    static func port(of descriptor: Int32) -> Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                getsockname(descriptor, $0.baseAddress, &length)
            }
        }
        guard result == 0, address.sin_family == sa_family_t(AF_INET) else { return 0 }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func make(_ place: FaultProxy.Endpoint) -> Int32 {
        let family = if case .port = place { AF_INET } else { AF_UNIX }
        return socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    private static func withAddress(
        of place: FaultProxy.Endpoint, _ body: (UnsafePointer<sockaddr>?, socklen_t) -> Int32
    ) -> Int32 {
        switch place {
        case .port(let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return withUnsafeBytes(of: &address) { call($0, body) }
        case .unix(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { target in
                // The last byte stays 0.
                target.copyBytes(from: Array(path.utf8.prefix(target.count - 1)))
            }
            return withUnsafeBytes(of: &address) { call($0, body) }
        }
    }

    private static func call(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafePointer<sockaddr>?, socklen_t) -> Int32
    ) -> Int32 {
        bytes.withMemoryRebound(to: sockaddr.self) {
            body($0.baseAddress, socklen_t(bytes.count))
        }
    }
}

public enum FaultProxyError: Error {
    /// With errno.
    case cannotListen(Int32)
}
