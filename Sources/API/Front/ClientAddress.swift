import HTTPServer
import Runtime

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
