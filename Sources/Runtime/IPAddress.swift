import Glibc

/// An IP address. An IPv4 address in IPv6 clothes (`::ffff:192.0.2.1`) is the IPv4 address.
public struct IPAddress: Sendable, Hashable {
    /// In network order: four, or sixteen.
    public let bytes: [UInt8]

    /// Reads what inet_pton(3) does; anything else, a zone or a port too, is nil.
    public init?(_ text: some StringProtocol) {
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
    public var network: String {
        guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 8, by: 2).map { index in
            String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + "::/64"
    }
}

/// An address, or a network such as `10.0.0.0/8`.
public struct IPNetwork: Sendable {
    private let address: IPAddress
    private let prefix: Int

    /// Reads an address, alone or with the length of its prefix; anything else is nil.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(first) else { return nil }
        let width = address.bytes.count * 8
        guard parts.count == 1 || Self.isPrefix(parts[1], of: width) else {
            return nil
        }
        self.address = address
        prefix = parts.count == 2 ? Int(parts[1]) ?? width : width
    }

    /// A number as people write it: `08` and `+8` are none.
    private static func isPrefix(_ text: Substring, of width: Int) -> Bool {
        guard let prefix = Int(text), String(prefix) == text else { return false }
        return (0...width).contains(prefix)
    }

    /// Whether the address lies in it; one of the other family never does.
    public func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        return (0..<prefix).allSatisfy { bit in
            let mask: UInt8 = 0x80 >> UInt8(bit % 8)
            let difference: UInt8 = address.bytes[bit / 8] ^ other.bytes[bit / 8]
            return difference & mask == 0
        }
    }
}
