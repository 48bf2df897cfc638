import Runtime
import Values

/// How long a sign-in lasts.
struct SessionSettings: Sendable {
    let accessLife: Duration
    let sessionLife: Duration
    let refreshGrace: Duration

    init(_ reader: inout SettingsReader) {
        accessLife = reader.seconds(
            "ACCESS_TTL_SECONDS", 900, in: 1...86_400, "life of an access token")
        sessionLife = reader.seconds(
            "SESSION_TTL_SECONDS", 30 * 86_400, in: 1...31_536_000,
            "life of a session that is not refreshed")
        refreshGrace = reader.seconds(
            "REFRESH_GRACE_SECONDS", 120, in: 0...3600,
            "how long a refresh token stays good beside its unused successor")
    }
}

/// What one caller may ask for; 0 is no limit.
struct LimitSettings: Sendable {
    let eventsPerSecond: Int
    let eventsBurst: Int
    let requestsPerMinute: Int

    init(_ reader: inout SettingsReader) {
        eventsPerSecond = reader.integer(
            "EVENTS_PER_SECOND", 200, in: 0...1_000_000, "events a store may post; 0: no limit")
        eventsBurst = reader.integer(
            "EVENTS_BURST", 2000, in: 0...10_000_000, "events a store may post at once")
        requestsPerMinute = reader.integer(
            "REQUESTS_PER_MINUTE", 600, in: 0...1_000_000, "requests of one session; 0: no limit")
    }
}

/// How jobs are taken, tried and given up.
struct DeliverySettings: Sendable {
    let concurrency: Int
    let batch: Int
    let lease: Duration
    let poll: Duration
    let breakerProbe: Duration
    let backoffBase: Duration
    let backoffCap: Duration
    let providerTimeout: Duration
    let pauseBase: Duration
    let alertMaxAge: Duration

    init(_ reader: inout SettingsReader) {
        concurrency = reader.integer(
            "WORKER_CONCURRENCY", 1000, in: 1...100_000, "sends in flight of one worker")
        batch = reader.integer("JOB_BATCH", 200, in: 1...5000, "jobs taken in one statement")
        lease = reader.seconds(
            "JOB_LEASE_SECONDS", 30, in: 1...3600,
            "after which the jobs of a worker that died go to another")
        poll = reader.seconds(
            "JOB_POLL_SECONDS", 1, in: 0.01...60,
            "how often is looked for jobs that nobody announced")
        breakerProbe = reader.seconds(
            "BREAKER_PROBE_SECONDS", 5, in: 0.05...30,
            "how often a provider that is down is tried with one push")
        backoffBase = reader.seconds(
            "BACKOFF_BASE_SECONDS", 2, in: 0.001...3600, "wait before the second attempt")
        backoffCap = reader.seconds(
            "BACKOFF_CAP_SECONDS", 300, in: 0.001...3600, "longest wait between two attempts")
        providerTimeout = reader.seconds(
            "PROVIDER_TIMEOUT_SECONDS", 10, in: 0.05...300, "deadline of one request to a provider")
        pauseBase = reader.seconds(
            "PAUSE_BASE_SECONDS", 60, in: 0.05...900,
            "first pause of a lane whose credentials were refused; it grows to 15 minutes")
        alertMaxAge = reader.seconds(
            "ALERT_MAX_AGE_SECONDS", 3600, in: 1...86_400,
            "age at which an event raises nothing and a push is not sent any more")
        // Within the lease a push reads its facts, for a second at most, and is awaited for that
        // long; the other second is for the claim itself.
        if lease < providerTimeout + .seconds(2) {
            reader.refuse(
                "JOB_LEASE_SECONDS", "must be longer than PROVIDER_TIMEOUT_SECONDS by 2 seconds")
        }
        if backoffCap < backoffBase {
            reader.refuse("BACKOFF_CAP_SECONDS", "must not be shorter than BACKOFF_BASE_SECONDS")
        }
    }
}

/// How long things are kept, in days.
struct RetentionSettings: Sendable {
    let events: Int
    let alerts: Int
    let deliveries: Int

    init(_ reader: inout SettingsReader) {
        events = reader.integer(
            "RETENTION_EVENTS_DAYS", 90, in: 1...3650, "days that events are kept")
        alerts = reader.integer(
            "RETENTION_ALERTS_DAYS", 90, in: 1...3650, "days that alerts and the inbox are kept")
        deliveries = reader.integer(
            "RETENTION_DELIVERIES_DAYS", 30, in: 7...3650, "days that outcomes of pushes are kept")
    }
}

/// Where the doubles of the providers listen.
struct SimulatorSettings: Sendable {
    let bind: String
    let port: Int
    let key: Secret<String>?

    init(_ reader: inout SettingsReader) {
        bind = reader.bindAddress("SIMULATOR_BIND", "127.0.0.1", "address of `simulate`")
        port = reader.integer(
            "SIMULATOR_PORT", 8090, in: 0...65532,
            "inbox and script; the next three are APNs production, APNs sandbox, FCM; 0: free ones")
        key = reader.secret(
            "SIMULATOR_KEY", form: "a secret",
            "bearer that the simulator's inbox asks for; required off loopback")
        if key == nil, !NetworkAddress.isLoopback(bind) {
            reader.refuse(
                "SIMULATOR_KEY", "is required when SIMULATOR_BIND is reachable from other machines")
        }
    }
}
