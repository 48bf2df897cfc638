import Runtime

/// What the worker counts, beside the queue's own figures and those of the senders.
struct WorkerMetrics: Sendable {
    let endings: Counter
    let acceptance: Histogram
    let edges: Counter
    let decided: Counter
    let unheard: Counter
    let decisions: Counter
    let applied: Counter
    let stepSeconds: Histogram

    init(_ metrics: Metrics) {
        endings = metrics.counter(
            "sineta_deliveries_total", "Pushes that ended, wait again or went back, and why",
            labels: ["provider", "outcome", "reason"])
        acceptance = metrics.histogram(
            "sineta_acceptance_seconds",
            "From the receipt of the event to the provider's acceptance", labels: ["provider"])
        edges = metrics.counter(
            "sineta_lane_edges_total", "Breakers and pauses that this worker opened or closed",
            labels: ["provider", "environment", "edge"])
        decided = metrics.counter(
            "sineta_alerts_decided_total", "Alerts decided", labels: ["kind"])
        unheard = metrics.counter(
            "sineta_alerts_unheard_total", "Alerts that reach nobody", labels: ["kind"])
        decisions = metrics.counter(
            "sineta_decisions_total", "Decisions about members", labels: ["reason"])
        applied = metrics.counter(
            "sineta_events_applied_total", "Events that came by SQL", labels: ["result"])
        stepSeconds = metrics.histogram(
            "sineta_worker_step_seconds", "Time of one step of a batch", labels: ["step"])
    }
}
