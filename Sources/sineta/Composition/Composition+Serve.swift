import API
import Alerts
import Cryptography
import HTTPServer
import Postgres
import Push
import Runtime
import Storage
import Values

extension Composition {
    /// Answers requests until it is asked to stop, then ends those in flight.
    static func serve(_ invocation: Invocation) async throws -> ExitCode {
        let process = try ServiceProcess("serve", invocation)
        let settings = process.configuration.server
        let secret = try HomeSecret.required(process.configuration)
        let wording = try ProductTexts.load(settings.localizationPath)
        let pool = process.pool("api", size: 8)
        let clock = PostgresClock(pool, log: process.log)
        let providers = try process.providers(besides: clock)
        try await process.database.check(pool, log: process.log)
        try await process.database.read(clock)

        let front = front(process, secret, wording, providers, pool, clock)
        let bind = HTTPBind.tcp(host: settings.bind, port: settings.port)
        var configuration = HTTPServerConfiguration(bind: bind)
        configuration.drain = settings.shutdownGrace
        let server = API.server(configuration, front)
        let metrics = try MetricsEndpoint(settings.metrics, process)
        let endpoint = ListenAddress(host: settings.bind, port: settings.port)
        process.ready(try server.listen(at: endpoint, address: "BIND", port: "PORT"))
        try await ServiceGroup([server, clock, metrics], log: process.log)
            .run(until: process.shutdown, grace: settings.shutdownGrace)
        providers.push.close()
        await pool.close()
        return .done
    }

    private static func front(
        _ process: ServiceProcess, _ secret: Secret<String>, _ wording: Wording,
        _ providers: Providers, _ pool: PostgresPool, _ clock: PostgresClock
    ) -> Front {
        let configuration = process.configuration
        let (limits, sessions) = (configuration.limits, configuration.sessions)
        let readiness = Readiness(process.database, log: process.log)
        let services = Services(
            door: Door(pool), secret: secret,
            limits: Services.Limits(
                requestsPerMinute: limits.requestsPerMinute,
                eventsPerSecond: limits.eventsPerSecond, eventsBurst: limits.eventsBurst),
            log: process.log, metrics: process.metrics, now: { clock.now() },
            obstacle: { await readiness.obstacle($0) })
        let notifier = PostgresNotifier(pool, log: process.log)
        let parts = Parts(
            hasher: PasswordHasher(),
            lives: SessionLives(
                access: sessions.accessLife, session: sessions.sessionLife,
                grace: sessions.refreshGrace),
            ingest: IngestGroup(pool: pool) { notifier.mark(JobKinds.decide) },
            alertMaxAge: configuration.delivery.alertMaxAge, wording: wording,
            providers: providers.push,
            providerFaults: providers.faults.map {
                ProviderFault(
                    provider: $0.provider, variable: $0.fault.variable,
                    problem: $0.fault.problem)
            })
        return Front(
            API.endpoints(services, parts), services: services,
            proxies: TrustedProxies(configuration.server.trustedProxies),
            cors: CORS(origins: configuration.server.corsOrigins))
    }
}

/// Whether the database can be asked, and has this version's schema.
///
/// An answer is good for a second, since anybody may ask and each look takes a connection.
final class Readiness: Sendable {
    private struct Answer {
        var obstacle: String?
        var until: Deadline
    }

    private let migrator: Migrator
    private let last = Lock<Answer?>(nil)

    init(_ database: Database, log: Log) {
        migrator = Migrator(Schema.migrations, configuration: database.application, log: log)
    }

    /// Why this process cannot serve; nil when it can.
    func obstacle(_ deadline: Deadline) async -> String? {
        if let known = last.withLock({ $0 }), !known.until.hasPassed { return known.obstacle }
        let found = await look(deadline)
        last.withLock { $0 = Answer(obstacle: found, until: .after(.seconds(1))) }
        return found
    }

    private func look(_ deadline: Deadline) async -> String? {
        do throws(MigrationError) {
            let state = try await migrator.state(deadline: deadline)
            return state.isCurrent ? nil : "the schema is older than this version"
        } catch {
            return "\(error)"
        }
    }
}
