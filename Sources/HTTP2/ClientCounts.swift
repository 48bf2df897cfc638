import Runtime

/// The metrics of a client, all labelled with its origin. Nothing here is touched per request.
struct ClientCounts: Sendable {
    let connects: Counter
    let goaways: Counter
    let resends: Counter

    init(_ metrics: Metrics, _ origin: HTTP2Origin, _ gauges: ClientGauges) {
        connects = metrics.counter(
            "http2_client_connects_total", "Connections by outcome.", labels: ["origin", "outcome"])
        goaways = metrics.counter(
            "http2_client_goaways_total", "GOAWAY frames received.", labels: ["origin"])
        resends = metrics.counter(
            "http2_client_resends_total", "Unprocessed requests sent again.",
            labels: ["origin", "reason"])
        let connections = metrics.gauge(
            "http2_client_connections", "Connections that exist.", labels: ["origin"])
        let requests = metrics.gauge(
            "http2_client_requests", "Requests without an end yet.", labels: ["origin"])
        metrics.sample { [weak gauges] in
            guard let gauges else { return }
            connections.set(Double(gauges.connections), origin.authority)
            requests.set(Double(gauges.inFlight), origin.authority)
        }
    }
}
