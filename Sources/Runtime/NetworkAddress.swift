import Glibc

/// Addresses and networks as text, checked by inet_pton(3).
public enum NetworkAddress {
    /// Whether a text is an IPv4 address in four decimal parts or an IPv6 address without brackets.
    public static func isAddress(_ text: String) -> Bool { width(of: text) != nil }

    /// An address, or an address and a prefix length: `10.0.0.0/8`.
    public static func isNetwork(_ text: String) -> Bool {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let width = width(of: String(parts[0])) else { return false }
        guard parts.count == 2 else { return true }
        guard let prefix = Int(parts[1]), String(prefix) == parts[1] else { return false }
        return (0...width).contains(prefix)
    }

    /// Whether only this machine reaches it.
    public static func isLoopback(_ text: String) -> Bool {
        text.hasPrefix("127.") || text == "::1"
    }

    /// Whether it stands for every address of the machine.
    public static func isAny(_ text: String) -> Bool { text == "0.0.0.0" || text == "::" }

    /// Where a process of this machine finds what is bound to it.
    public static func reachable(_ text: String) -> String {
        switch text {
        case "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        default: text
        }
    }

    /// As it stands in a URL, an IPv6 address in brackets.
    public static func inURL(_ text: String) -> String { text.contains(":") ? "[\(text)]" : text }

    private static func width(of text: String) -> Int? {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return 32 }
        if inet_pton(AF_INET6, text, &six) == 1 { return 128 }
        return nil
    }
}
