import Alerts
import Jobs
import Postgres
import Push
import Runtime
import Storage
import Worker

/// The processes, put together from the rooms.
enum Composition {
    /// Takes jobs until it is asked to stop, then finishes what is in flight and gives back the
    /// rest.
    static func worker(_ invocation: Invocation) async throws -> ExitCode {
        let process = try ServiceProcess("worker", invocation)
        let settings = process.configuration.server
        let wording = try ProductTexts.load(settings.localizationPath)
        let pool = process.pool("worker", size: 8, as: JobQueue.login)
        let clock = PostgresClock(pool, log: process.log)
        let providers = try process.providers(besides: clock).push
        try await process.database.check(pool, log: process.log)
        try await process.database.read(clock)

        let notifier = PostgresNotifier(pool, log: process.log)
        let worker = WorkerServices(
            pool: pool, senders: Senders(providers), wording: wording,
            settings: WorkerSettings(process.configuration), log: process.log,
            metrics: process.metrics, wake: { notifier.mark($0) })
        let services: [any Service]
        do throws(PostgresError) {
            services = try await worker.make(deadline: .after(.seconds(30)))
        } catch {
            throw Database.fault(error)
        }
        let metrics = try MetricsEndpoint(settings.workerMetrics, process)
        let listener = PostgresListener(
            process.database.application, log: process.log,
            // Whatever the event is: after a gap in listening anything may have been committed.
            subscribers: WorkerServices.topics.map { topic in (topic, { _ in worker.ring(topic) }) }
        )
        process.ready(metrics.address)
        try await ServiceGroup(services + [listener, clock, metrics], log: process.log)
            .run(until: process.shutdown, grace: settings.shutdownGrace)
        providers.close()
        await pool.close()
        return .done
    }
}

extension WorkerSettings {
    init(_ configuration: Configuration) {
        self.init()
        let delivery = configuration.delivery
        concurrency = delivery.concurrency
        batch = delivery.batch
        lease = delivery.lease
        poll = delivery.poll
        breakerProbe = delivery.breakerProbe
        backoff = Backoff(base: delivery.backoffBase, cap: delivery.backoffCap)
        providerTimeout = delivery.providerTimeout
        pauseBase = delivery.pauseBase
        alertMaxAge = delivery.alertMaxAge
        retention.eventDays = configuration.retention.events
        retention.alertDays = configuration.retention.alerts
        retention.deliveryDays = configuration.retention.deliveries
    }
}
