public import HTTPServer
public import Runtime

/// The HTTP API: its endpoints, and the server that they are answered by.
public enum API {
    /// Which Sineta this is: what `/openapi.json` and `sineta --version` say.
    public static let version = "1"

    /// Every endpoint. A subject is a folder with a list of its own, and one line here.
    public static func endpoints(_ services: Services, _ parts: Parts) -> [Endpoint] {
        let subjects = [
            Health.endpoints(services),
            SessionEndpoints.endpoints(services, parts),
            InviteEndpoints.endpoints(services, parts),
            MeEndpoints.endpoints(services, parts),
            DeviceEndpoints.endpoints(parts),
            StoreEndpoints.endpoints,
            MemberEndpoints.endpoints(services),
            APITokenEndpoints.endpoints(services),
            PreferenceEndpoints.endpoints,
            MuteEndpoints.endpoints,
            PolicyEndpoints.endpoints,
            AuditEndpoints.endpoints,
            EventEndpoints.endpoints(services, parts),
            SubjectEndpoints.endpoints(),
            AlertEndpoints.endpoints(),
            InboxEndpoints.endpoints(parts),
            CoverageEndpoints.endpoints(parts),
            TemplateEndpoints.endpoints(parts),
            OpsStoreEndpoints.endpoints(services),
            OverviewEndpoints.endpoints,
            DeadLetterEndpoints.endpoints,
            DeadLetterActEndpoints.endpoints,
            ProviderEndpoints.endpoints(parts),
            OpsAuditEndpoint.endpoints,
        ]
        let endpoints = subjects.flatMap { $0 }
        return endpoints + [.document(of: endpoints)]
    }

    /// A server that answers by the front.
    public static func server(
        _ configuration: HTTPServerConfiguration, _ front: Front
    ) -> HTTPServer {
        HTTPServer(
            name: "api", configuration: configuration, log: front.services.log,
            metrics: front.services.metrics,
            tooLarge: { head, limit in front.tooLarge(head, limit: limit) },
            handler: { request in await front.answer(request) })
    }

    /// The server of `GET /metrics` in Prometheus' text format, which stays off the public port.
    public static func metricsServer(
        _ configuration: HTTPServerConfiguration, log: Log, metrics: Metrics
    ) -> HTTPServer {
        HTTPServer(name: "metrics", configuration: configuration, log: log, metrics: metrics) {
            request in
            guard request.path == "/metrics" else { return .text(404, "not found\n") }
            guard ["GET", "HEAD"].contains(request.method) else {
                var response = HTTPResponse.text(405, "method not allowed\n")
                response.headers.set("Allow", "GET, HEAD")
                return response
            }
            var response = HTTPResponse.text(200, metrics.render(), route: "/metrics")
            response.headers.set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            response.headers.set("Cache-Control", "no-store")
            response.headers.set("X-Content-Type-Options", "nosniff")
            return response
        }
    }
}
