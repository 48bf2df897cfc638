public import Runtime

/// What the queue counts of itself in this process.
public struct JobMetrics: Sendable {
    public let claims: Counter
    public let claimed: Counter
    public let claimSeconds: Histogram
    public let fenced: Counter
    public let losses: Counter
    public let buried: Counter
    public let inHand: Gauge
    public let bloat: Gauge
    public let failures: Counter

    public init(_ metrics: Metrics) {
        claims = metrics.counter("sineta_job_claims_total", "Claims sent", labels: ["runner"])
        claimed = metrics.counter(
            "sineta_jobs_claimed_total", "Jobs taken under a lease", labels: ["kind"])
        claimSeconds = metrics.histogram(
            "sineta_job_claim_seconds", "Time of a claim", labels: ["runner"])
        fenced = metrics.counter(
            "sineta_jobs_fenced_total", "Results dropped since another worker had taken over")
        losses = metrics.counter(
            "sineta_job_losses_total", "Jobs claimed again after a lease had run out",
            labels: ["kind"])
        buried = metrics.counter(
            "sineta_jobs_buried_total", "Jobs moved to the dead letter",
            labels: ["kind", "reason"])
        inHand = metrics.gauge(
            "sineta_jobs_in_hand", "Jobs that this process works on", labels: ["runner"])
        bloat = metrics.gauge(
            "sineta_job_claims_stretched",
            "1 while full claims are slow: dead rows lie at the head of the queue",
            labels: ["runner"])
        failures = metrics.counter(
            "sineta_job_statement_failures_total", "Statements of the queue that failed",
            labels: ["runner", "code"])
    }
}
