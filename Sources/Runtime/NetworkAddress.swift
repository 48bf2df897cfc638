/// Addresses and networks as text.
public enum NetworkAddress {
    /// Whether a text is an IPv4 address in four decimal parts or an IPv6 address without brackets.
    public static func isAddress(_ text: String) -> Bool { IPAddress(text) != nil }

    /// An address, or an address and a prefix length: `10.0.0.0/8`.
    public static func isNetwork(_ text: String) -> Bool { IPNetwork(text) != nil }

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
}
