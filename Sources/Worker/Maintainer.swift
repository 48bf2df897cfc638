import Postgres
import Runtime
import Storage
import Values

/// Makes the partitions of the days to come, lets go of what has outlived its use, and finds the
/// alerts that reached nobody and were not marked as such: at start, then every hour with jitter.
/// Any worker does it; what two do at once does no harm.
struct Maintainer: Service {
    let name = "maintainer"
    let pool: PostgresPool
    let settings: WorkerSettings
    let log: Log
    let partitionMissing: Gauge
    let failures: Counter
    let removed: Counter
    let unheard: Counter
    var interval = Duration.seconds(3600)

    init(pool: PostgresPool, settings: WorkerSettings, log: Log, metrics: Metrics) {
        self.pool = pool
        self.settings = settings
        self.log = log.with(["service": "maintainer"])
        partitionMissing = metrics.gauge(
            "sineta_partition_missing", "1 while tomorrow's partition of deliveries is missing")
        failures = metrics.counter(
            "sineta_maintenance_failures_total", "Steps of maintenance that failed",
            labels: ["step"])
        removed = metrics.counter(
            "sineta_rows_removed_total", "Rows past their time that were removed",
            labels: ["table"])
        unheard = WorkerMetrics(metrics).unheard
    }

    func run(until shutdown: Shutdown) async throws {
        let bell = AlarmBell(shutdown)
        while !shutdown.hasBegun {
            // It may wait for a database that is away; the end of the process does not.
            let isWell = await shutdown.race { await tick() } ?? true
            let wait = isWell ? interval : .seconds(60)
            await bell.wait(wait * Double.random(in: 0.9..<1.1))
        }
    }

    /// One round. False when a step failed, and the next round should come soon.
    func tick() async -> Bool {
        let hasPartitions = await step("partitions") {
            let made = try await Retention.makePartitions(
                pool: pool, deadline: .after(.seconds(30)))
            if made > 0 { log.info("partitions made", ["count": .count(made)]) }
            let tomorrow = try await Retention.hasTomorrow(
                pool: pool, deadline: .after(.seconds(10)))
            partitionMissing.set(tomorrow ? 0 : 1)
        }
        let isSwept = await step("sweep") {
            let removed = try await Retention.sweep(
                settings.retention, pool: pool, deadline: .after(.seconds(600)))
            for (table, count) in removed where count > 0 {
                self.removed.add(Double(count), table)
                log.info("removed", ["table": .text(table), "count": .count(count)])
            }
        }
        let isMarked = await step("unheard") {
            for kind in try await UnheardAlerts.sweep(pool: pool, deadline: .after(.seconds(600))) {
                unheard.add(1, kind)
            }
        }
        return hasPartitions && isSwept && isMarked
    }

    private func step(_ name: String, _ body: () async throws -> Void) async -> Bool {
        do {
            try await body()
            return true
        } catch {
            if Task.isCancelled { return false }
            failures.add(1, name)
            log.error("maintenance failed", ["step": .text(name), "error": "\(error)"])
            return false
        }
    }
}
