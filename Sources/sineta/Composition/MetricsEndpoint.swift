import API
import HTTPServer
import Runtime

/// `/metrics` on an address of its own, so that it is never reachable over the public port.
struct MetricsEndpoint: Service {
    let name = "metrics"
    let address: String
    private let server: HTTPServer

    /// Listens.
    init(_ endpoint: ListenAddress, _ process: ServiceProcess) throws(CommandFault) {
        var configuration = HTTPServerConfiguration(
            bind: .tcp(host: endpoint.host, port: endpoint.port))
        configuration.threads = 1
        configuration.connectionLimit = 64
        configuration.bodyLimit = 0
        configuration.drain = .seconds(1)
        server = API.metricsServer(configuration, log: process.log, metrics: process.metrics)
        address = try server.listen(
            at: endpoint, address: "METRICS_BIND", port: "METRICS_BIND")
    }

    func run(until shutdown: Shutdown) async throws { try await server.run(until: shutdown) }
}

extension HTTPServer {
    /// Starts.
    ///
    /// - Parameters:
    ///   - address: the variable to change when this machine has no such address.
    ///   - port: the variable to change when the port cannot be had.
    /// - Returns: the address as a URL.
    func listen(
        at endpoint: ListenAddress, address: String, port variable: String
    ) throws(CommandFault) -> String {
        do throws(HTTPServerError) {
            let port = try start() ?? endpoint.port
            let host = NetworkAddress.reachable(endpoint.host)
            return "http://\(NetworkAddress.inURL(host)):\(port)"
        } catch {
            if case .addressNotAvailable = error {
                throw CommandFault(.failed, "\(address): \(error)")
            }
            throw CommandFault(.failed, "\(variable): \(error)")
        }
    }
}
