import Glibc
import HTTPServer

/// An IP address as its bytes: four or sixteen. An IPv4 address in IPv6 clothes is the IPv4
/// address.
struct IPAddress: Sendable, Hashable {
    let bytes: [UInt8]

    init?(_ text: some StringProtocol) {
        var four = in_addr()
        var six = in6_addr()
        let text = String(text)
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            let all = withUnsafeBytes(of: six) { Array($0) }
            let isMapped = all.prefix(10).allSatisfy { $0 == 0 } && all[10] == 255 && all[11] == 255
            bytes = isMapped ? Array(all.suffix(4)) : all
        } else {
            return nil
        }
    }

    /// The address itself, or the /64 that an IPv6 household has whole.
    var network: String {
        guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 8, by: 2).map { index in
            String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + "::/64"
    }
}

/// An address, or a network such as `10.0.0.0/8`.
struct IPNetwork: Sendable {
    private let address: IPAddress
    private let prefix: Int

    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(first) else { return nil }
        let width = address.bytes.count * 8
        guard parts.count == 1 || Int(parts[1]).map({ (0...width).contains($0) }) == true else {
            return nil
        }
        self.address = address
        prefix = parts.count == 2 ? Int(parts[1]) ?? width : width
    }

    func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        return (0..<prefix).allSatisfy { bit in
            let mask: UInt8 = 0x80 >> UInt8(bit % 8)
            let difference: UInt8 = address.bytes[bit / 8] ^ other.bytes[bit / 8]
            return difference & mask == 0
        }
    }
}

/// Whose word about the client's address is believed.
public struct TrustedProxies: Sendable {
    private let networks: [IPNetwork]

    /// - Parameter networks: addresses or networks; what is neither is left out.
    public init(_ networks: [String]) {
        self.networks = networks.compactMap(IPNetwork.init)
    }

    /// The client's address: `X-Forwarded-For` is read from right to left for as long as the one
    /// who wrote it is trusted, so what a client puts there itself is never believed. Behind a Unix
    /// socket stands the proxy.
    func client(of head: HTTPRequestHead) -> String {
        var address = head.remoteAddress
        guard !networks.isEmpty, isTrusted(address) else { return address }
        let hops = head.headers.values("X-Forwarded-For").joined(separator: ",")
            .split(separator: ",", omittingEmptySubsequences: false)
        for hop in hops.reversed() {
            let text = String(hop.filter { $0 != " " && $0 != "\t" })
            guard IPAddress(text) != nil else { break }
            address = text
            guard isTrusted(address) else { break }
        }
        return address
    }

    private func isTrusted(_ text: String) -> Bool {
        guard !text.isEmpty else { return true }
        guard let address = IPAddress(text) else { return false }
        return networks.contains { $0.contains(address) }
    }
}
