import HTTPServer
import Runtime

/// `/metrics` on an address of its own, so that it is never reachable over the public port.
struct MetricsService: Service {
    let name = "metrics"
    private let server: HTTPServer

    init(_ endpoint: Endpoint, metrics: Metrics, log: Log) {
        var configuration = HTTPServerConfiguration(
            bind: .tcp(host: endpoint.host, port: endpoint.port))
        configuration.threads = 1
        configuration.connectionLimit = 64
        configuration.bodyLimit = 0
        configuration.drain = .seconds(1)
        server = HTTPServer(
            name: name, configuration: configuration, log: log, metrics: metrics
        ) { request in
            guard request.path == "/metrics" else {
                return .text(404, "only /metrics is here\n", route: "other")
            }
            return HTTPResponse(
                status: 200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
                body: .bytes(Array(metrics.render().utf8)), route: "/metrics")
        }
    }

    /// Listens.
    ///
    /// - Throws: `CommandFault` that names the variable to change.
    func start() throws(CommandFault) -> Int {
        do throws(HTTPServerError) {
            return try server.start() ?? 0
        } catch {
            throw CommandFault(.failed, "METRICS_BIND: \(error)")
        }
    }

    func run(until shutdown: Shutdown) async throws { try await server.run(until: shutdown) }
}
