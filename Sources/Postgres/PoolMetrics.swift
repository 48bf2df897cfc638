import Runtime

/// What a pool counts. All series carry the pool's name.
struct PoolMetrics: Sendable {
    let pool: String
    let connections: Gauge
    let inUse: Gauge
    let waiting: Gauge
    let acquire: Histogram
    let errors: Counter

    init(pool: String, _ metrics: Metrics) {
        self.pool = pool
        connections = metrics.gauge(
            "postgres_pool_connections", "Open connections.", labels: ["pool"])
        inUse = metrics.gauge(
            "postgres_pool_in_use", "Connections that run something.", labels: ["pool"])
        waiting = metrics.gauge(
            "postgres_pool_waiting", "Callers that wait for a connection.", labels: ["pool"])
        acquire = metrics.histogram(
            "postgres_pool_acquire_seconds", "Time until a connection was had.", labels: ["pool"])
        errors = metrics.counter(
            "postgres_errors_total", "Failed calls by SQLSTATE or reason.",
            labels: ["pool", "code"])
    }
}
