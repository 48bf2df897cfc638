import CCurl
import Glibc

/// Refuses, before it is dialled, a name that leads to this machine or to a link-local address: a
/// public name must not open what listens only here (cloud metadata, databases).
enum SocketGuard {
    static func isForbidden(_ address: UnsafePointer<sockaddr>) -> Bool {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                isForbidden(v4: UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
            }
        case AF_INET6:
            address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin6_addr) { isForbidden(v6: Array($0)) }
            }
        default: true
        }
    }

    static func isForbidden(v4 address: UInt32) -> Bool {
        let first = address >> 24
        // This network, loopback, link-local, multicast and above.
        return first == 0 || first == 127 || address >> 16 == 0xA9FE || first >= 224
    }

    static func isForbidden(v6 bytes: [UInt8]) -> Bool {
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255
        if isMapped { return isForbidden(v4: bytes[12...].reduce(0) { $0 << 8 | UInt32($1) }) }
        let isUnspecifiedOrLoopback = bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] <= 1
        let isLinkLocal = bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        return isUnspecifiedOrLoopback || isLinkLocal || bytes[0] == 0xFF
    }
}

/// libcurl's callback: makes the socket that it will connect, or refuses to.
func openSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let address else { return sineta_curl_no_socket() }
    let transfer = Unmanaged<WebTransfer>.fromOpaque(context).takeUnretainedValue()
    let isForbidden = withUnsafePointer(to: &address.pointee.addr) { SocketGuard.isForbidden($0) }
    guard transfer.isLoopback || !isForbidden else {
        transfer.isBarred = true
        return sineta_curl_no_socket()
    }
    return socket(
        address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
        address.pointee.protocol)
}
