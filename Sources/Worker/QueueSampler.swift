import Jobs
import Postgres
import Runtime
import Values

/// Measures the queue now and then: how the lanes are filled, which are closed, and what holds
/// vacuum up. Counting is bounded, and rare, since it reads the head of the queue.
struct QueueSampler: Service {
    let name = "queue-sampler"
    let queue: JobQueue
    let log: Log
    var interval = Duration.seconds(15)
    private let jobs: Gauge
    private let oldest: Gauge
    private let states: Gauge
    private let dead: Gauge
    private let oldestTransaction: Gauge

    init(queue: JobQueue, log: Log, metrics: Metrics) {
        self.queue = queue
        self.log = log
        let lane = ["kind", "provider", "environment", "urgency"]
        jobs = metrics.gauge(
            "sineta_jobs", "Jobs by lane and state, counted up to 10000", labels: lane + ["state"])
        oldest = metrics.gauge(
            "sineta_jobs_oldest_due_seconds", "Age of the oldest job that could be taken",
            labels: lane)
        states = metrics.gauge(
            "sineta_lane_closed", "1 while the lanes of a credential are not open",
            labels: ["provider", "environment", "state"])
        dead = metrics.gauge("sineta_jobs_dead_rows", "Dead rows of the jobs table")
        oldestTransaction = metrics.gauge(
            "sineta_oldest_snapshot_transactions", "Age of the oldest snapshot in transactions")
    }

    func run(until shutdown: Shutdown) async throws {
        let bell = AlarmBell(shutdown)
        while !shutdown.hasBegun {
            do throws(PostgresError) {
                try await sample()
            } catch {
                log.warning("the queue could not be measured", ["error": "\(error)"])
            }
            await bell.wait(interval * Double.random(in: 0.9..<1.1))
        }
    }

    func sample() async throws(PostgresError) {
        for count in try await queue.counts(deadline: .after(.seconds(5))) {
            let kind = count.lane.kind
            let provider = count.lane.credential.name
            let environment = count.lane.credential.environment
            let urgency = "\(count.lane.urgency)"
            for (state, number) in [
                ("ready", count.ready), ("scheduled", count.scheduled), ("leased", count.leased),
            ] {
                jobs.set(Double(number), kind, provider, environment, urgency, state)
            }
            oldest.set(
                count.oldestDue?.secondsAsDouble ?? 0, kind, provider, environment, urgency)
        }
        states.reset()
        for state in try await queue.states(deadline: .after(.seconds(5))) {
            states.set(
                state.word == .open ? 0 : 1, state.credential.name, state.credential.environment,
                state.word.rawValue)
        }
        let health = try await queue.health(deadline: .after(.seconds(5)))
        dead.set(Double(health.deadRows))
        oldestTransaction.set(Double(health.oldestTransactions))
    }
}
