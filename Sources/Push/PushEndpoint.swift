public import HTTP2
public import Runtime
import WebClient

/// Where a provider listens and whom to trust there.
public struct PushEndpoint: Sendable {
    public let origin: HTTP2Origin
    public let trust: HTTP2Trust

    /// - Parameters:
    ///   - url: `https://host` or `https://host:port`, from `variable`
    ///   - caPath: a PEM file of authorities in place of the system's
    public init(url text: String, variable: String, caPath: String?) throws(EnvironmentFault) {
        let url: WebURL
        do { url = try WebURL(text) } catch {
            throw EnvironmentFault(variable: variable, problem: "\(error)")
        }
        guard url.scheme == "https", url.target == "/" else {
            throw EnvironmentFault(
                variable: variable, problem: "must be https:// and a host, without a path")
        }
        origin = HTTP2Origin(host: url.host, port: UInt16(clamping: url.port))
        trust = caPath.map { .file($0) } ?? .system
    }
}

/// How a sender sends.
public struct PushSettings: Sendable {
    /// One request, waits for a token or a connection included.
    public var timeout: Duration
    /// Connections at most; another opens when all are full.
    public var connections: Int

    public init(timeout: Duration = .seconds(10), connections: Int = 4) {
        self.timeout = timeout
        self.connections = connections
    }
}
