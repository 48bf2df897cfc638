import Postgres
import Runtime
import Storage
import Values

/// Makes the partitions of the days to come and lets go of what has outlived its use: at start, then
/// every hour with jitter. Any worker does it; what two do at once does no harm.
struct Maintainer: Service {
    let name = "maintainer"
    let upkeep: Upkeep
    let settings: WorkerSettings
    let log: Log
    let partitionsMissing: Gauge
    let failures: Counter
    var interval = Duration.seconds(3600)
    var clock: @Sendable () -> Timestamp = { .now() }

    init(pool: PostgresPool, settings: WorkerSettings, log: Log, metrics: Metrics) {
        upkeep = Upkeep(pool: pool)
        self.settings = settings
        self.log = log.with(["service": "maintainer"])
        partitionsMissing = metrics.gauge(
            "sineta_partition_missing", "1 while tomorrow's partition of deliveries is missing")
        failures = metrics.counter(
            "sineta_maintenance_failures_total", "Steps of maintenance that failed",
            labels: ["step"])
    }

    func run(until shutdown: Shutdown) async throws {
        let bell = AlarmBell(shutdown)
        while !shutdown.hasBegun {
            let isWell = await tick(shutdown)
            let wait = isWell ? interval : .seconds(60)
            await bell.wait(wait * Double.random(in: 0.9..<1.1))
        }
    }

    /// One round. False when a step failed, and the next round should come soon.
    func tick(_ shutdown: Shutdown) async -> Bool {
        let today = Int(clock().seconds / 86_400)
        var isWell = await step("partitions") {
            let made = try await upkeep.makePartitions(
                daysAhead: 7, deadline: .after(.seconds(30)))
            if made > 0 { log.info("partitions made", ["count": .count(made)]) }
            let tomorrow = try await upkeep.hasPartition(
                of: CivilDate(daysSinceEpoch: today + 1), deadline: .after(.seconds(10)))
            partitionsMissing.set(tomorrow ? 0 : 1)
        }
        isWell =
            await step("drop_partitions") {
                let dropped = try await upkeep.dropPartitions(
                    before: CivilDate(daysSinceEpoch: today - settings.retention.deliveryDays),
                    deadline: .after(.seconds(30)))
                if dropped > 0 { log.info("partitions dropped", ["count": .count(dropped)]) }
            } && isWell
        for kind in Outlived.allCases where !shutdown.hasBegun {
            isWell =
                await step(kind.rawValue) {
                    let deleted = try await upkeep.deleteAll(kind, before: limit(of: kind))
                    if deleted > 0 {
                        log.info(
                            "outlived rows deleted",
                            ["kind": .text(kind.rawValue), "count": .count(deleted)])
                    }
                } && isWell
        }
        return isWell
    }

    private func step(_ name: String, _ body: () async throws -> Void) async -> Bool {
        do {
            try await body()
            return true
        } catch {
            failures.add(1, name)
            log.error("maintenance failed", ["step": .text(name), "error": "\(error)"])
            return false
        }
    }

    private func limit(of kind: Outlived) -> Timestamp {
        let days =
            switch kind {
            case .events, .messages: settings.retention.eventDays
            case .alerts, .alertParts, .inboxMarks: settings.retention.alertDays
            case .idempotencyKeys, .accessTokens, .loginCounters, .endedMutes: 1
            case .refreshTokens, .links, .removedDevices: 30
            case .loginNetworks: 90
            }
        return clock() - .seconds(86_400 * days)
    }
}
