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
    private let deadRows: Gauge
    private let oldestTransaction: Gauge
    private let oldestSeconds: Gauge

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
        dead = metrics.gauge(
            "sineta_dead_letters", "Jobs that were given up", labels: ["kind", "reason"])
        deadRows = metrics.gauge("sineta_jobs_dead_rows", "Dead rows of the jobs table")
        oldestTransaction = metrics.gauge(
            "sineta_oldest_snapshot_transactions", "Age of the oldest snapshot in transactions")
        oldestSeconds = metrics.gauge(
            "sineta_oldest_snapshot_seconds",
            "How long the transaction with the oldest snapshot has been open")
    }

    func run(until shutdown: Shutdown) async throws {
        let bell = AlarmBell(shutdown)
        while !shutdown.hasBegun {
            // It may wait for a database that is away; the end of the process does not.
            await shutdown.race {
                do throws(PostgresError) {
                    try await sample()
                } catch  where !Task.isCancelled {
                    log.warning("the queue could not be measured", ["error": "\(error)"])
                } catch {
                    // Nobody asks any more.
                }
            }
            await bell.wait(interval * Double.random(in: 0.9..<1.1))
        }
    }

    func sample() async throws(PostgresError) {
        let measure = try await queue.measure(
            within: .seconds(5), deadline: .after(.seconds(20)))
        for count in measure.lanes { note(count) }
        states.reset()
        for state in measure.states {
            states.set(
                state.word == .open ? 0 : 1, state.credential.name, state.credential.environment,
                state.word.rawValue)
        }
        dead.reset()
        for count in measure.dead { dead.set(Double(count.count), count.kind, count.reason) }
        deadRows.set(Double(measure.health.deadRows))
        oldestTransaction.set(Double(measure.health.oldestTransactions))
        oldestSeconds.set(measure.health.oldestSeconds)
    }

    private func note(_ count: LaneCount) {
        let kind = count.lane.kind
        let provider = count.lane.credential.name
        let environment = count.lane.credential.environment
        let urgency = "\(count.lane.urgency)"
        for (state, number) in [
            ("ready", count.ready), ("scheduled", count.scheduled), ("leased", count.leased),
        ] {
            jobs.set(Double(number), kind, provider, environment, urgency, state)
        }
        oldest.set(count.oldestDue?.secondsAsDouble ?? 0, kind, provider, environment, urgency)
    }
}
