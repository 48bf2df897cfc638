public import Alerts
import Jobs
public import Storage

/// What can be turned on a worker; the README lists the variables. The defaults are the product's.
public struct WorkerSettings: Sendable {
    /// Pushes in flight of one worker (`WORKER_CONCURRENCY`).
    public var concurrency = 1000
    /// Jobs of one claim (`JOB_BATCH`).
    public var batch = 200
    /// After which the jobs of a worker that died go to another (`JOB_LEASE_SECONDS`).
    public var lease = Duration.seconds(30)
    /// `JOB_POLL_SECONDS`.
    public var poll = Duration.seconds(1)
    /// `BREAKER_PROBE_SECONDS`.
    public var breakerProbe = Duration.seconds(5)
    /// `BACKOFF_BASE_SECONDS` and `BACKOFF_CAP_SECONDS`.
    public var backoff = Backoff()
    /// Of one request (`PROVIDER_TIMEOUT_SECONDS`); the lease outlasts it by two seconds.
    public var providerTimeout = Duration.seconds(10)
    /// `PAUSE_BASE_SECONDS`; it doubles up to `pauseCap`.
    public var pauseBase = Duration.seconds(60)
    public var pauseCap = Duration.seconds(900)
    /// `RETENTION_EVENTS_DAYS`, `RETENTION_ALERTS_DAYS`, `RETENTION_DELIVERIES_DAYS`.
    public var retention = RetentionPeriods()
    /// `ALERT_MAX_AGE_SECONDS`.
    public var alertMaxAge = Duration.seconds(3600)
    /// How old the facts of a push may be when it starts.
    public var factsAge = Duration.seconds(1)
    /// Members of one transaction of a large audience.
    public var audienceChunk = 1000

    public init() {}

    /// How failed attempts of a kind are spread: as it declares, and where it declares nothing of
    /// its own, as the settings say.
    func retry(of kind: AlertKind) -> RetryPolicy {
        var policy = kind.retry
        if policy.backoff == RetryPolicy().backoff { policy.backoff = backoff }
        return policy
    }

    /// The policy of jobs that are no pushes.
    var jobPolicy: JobPolicy {
        JobPolicy { [backoff] attempt, random in backoff.delay(after: attempt, random: random) }
    }

    func runner(slots: Int) -> JobRunner.Configuration {
        JobRunner.Configuration(
            slots: slots, batch: batch, lease: lease, poll: poll, probeInterval: breakerProbe,
            pauseBase: pauseBase, pauseCap: pauseCap, policy: jobPolicy)
    }
}
