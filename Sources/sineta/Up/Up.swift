import Cryptography
import Postgres
import Runtime
import Values

/// Everything on one machine: the database, then the processes that use it, ended in the other
/// order.
struct Up: Sendable {
    let configuration: Configuration
    let environment: [String: String]
    let usesSimulator: Bool
    let seeds: String?
    let log: Log
    let shutdown: Shutdown
    /// Begins when somebody does not want to wait for what is in flight.
    let hurry: Shutdown

    init(_ invocation: Invocation) throws(ConfigurationFaults) {
        environment = invocation.environment
        configuration = try Configuration(environment)
        usesSimulator = invocation.has("--simulator")
        seeds = invocation.value("--seed")
        log = configuration.log.make().with(["process": "up"])
        shutdown = invocation.shutdown
        hurry = invocation.hurry
    }

    /// Runs until asked to stop, or until a process of it ends by itself.
    func run() async throws -> ExitCode {
        if usesSimulator { try SimulatorSeam.refuseCredentials(environment) }
        // Both children read the texts; faulty ones are said once, before anything is started.
        _ = try ProductTexts.load(configuration.server.localizationPath)
        let home = try HomeFolder(configuration.home)
        let record = ProcessRecord(home)
        let survivors = try record.survivors()
        if !survivors.isEmpty {
            log.warning("ending what a killed run left", ["processes": .count(survivors.count)])
            await record.end(survivors, within: .seconds(5))
        }
        try checkPorts()
        let cluster = try startCluster(home)
        do {
            try await cluster?.start(deadline: .after(.seconds(120)))
            let code = try await runProcesses(home, record, cluster)
            try await stop(cluster, record)
            return code
        } catch {
            // What fails while somebody stops everything fails because of that.
            let isStopped = shutdown.hasBegun
            try await stop(cluster, record)
            if isStopped { return .done }
            throw error
        }
    }

    /// A port that is taken is what a second `up` meets: it is said before anything is started.
    private func checkPorts() throws(CommandFault) {
        let server = configuration.server
        try PortCheck.require(
            ListenAddress(host: server.bind, port: server.port), "PORT", host: "BIND")
        try PortCheck.require(server.metrics, "METRICS_BIND")
        try PortCheck.require(workerMetrics, "METRICS_BIND")
        let simulator = configuration.simulator
        guard usesSimulator, simulator.port != 0 else { return }
        for port in simulator.port..<(simulator.port + 4) {
            try PortCheck.require(ListenAddress(host: simulator.bind, port: port), "SIMULATOR_PORT")
        }
    }

    private var workerMetrics: ListenAddress {
        let server = configuration.server
        guard server.workerMetrics == server.metrics, server.metrics.port != 0 else {
            return server.workerMetrics
        }
        return ListenAddress(host: server.metrics.host, port: server.metrics.port + 1)
    }

    // MARK: - The database

    private func startCluster(_ home: HomeFolder) throws(ClusterError) -> EmbeddedCluster? {
        guard configuration.database.url == nil else { return nil }
        return try EmbeddedCluster(home: home.path, log: log)
    }

    /// The database ends last, when nobody uses it any more.
    private func stop(
        _ cluster: EmbeddedCluster?, _ record: ProcessRecord
    ) async throws(ClusterError) {
        record.clear()
        try await cluster?.stop(deadline: .after(.seconds(60)))
    }

    // MARK: - The processes

    private func runProcesses(
        _ home: HomeFolder, _ record: ProcessRecord, _ cluster: EmbeddedCluster?
    ) async throws -> ExitCode {
        let database =
            if let cluster { try Database(cluster) } else { try Database(configuration.database) }
        _ = try await database.migrate(deadline: .after(.seconds(600)), log: log)
        let secret = try authSecret(home)
        let demo = try seeds.map { try Demo(folder: $0, home: home, secret: secret) }
        if let demo { try await demo.load(into: database, log: log) }

        var settings = environment
        settings["SINETA_HOME"] = home.path
        settings["AUTH_SECRET"] = secret.reveal()
        if let cluster { settings["DATABASE_URL"] = cluster.applicationURL }
        let group = ProcessGroup(record: record, hurry: hurry)
        do {
            let places = try await start(group, settings)
            try await greet(places, demo)
            let watch = cluster.map { ClusterWatch(cluster: $0, log: log) }
            let watching = Task { await watch?.run() }
            let ended = await group.firstEnd(orWhen: shutdown)
            watching.cancel()
            await stop(group)
            await watching.value
            guard let ended else { return .done }
            log.error(
                "a process ended by itself",
                ["name": .text(ended.name), "code": .count(ended.exitCode)])
            return .failed
        } catch {
            await stop(group)
            throw error
        }
    }

    private struct Places {
        let api: String
        let inbox: String?
    }

    /// The simulator first, since the others read where it listens from the file that it writes.
    private func start(
        _ group: ProcessGroup, _ settings: [String: String]
    ) async throws -> Places {
        var inbox: String?
        if usesSimulator {
            try group.start("simulate", [], settings)
            inbox = try await group.ready("simulate")
        }
        var workerSettings = settings
        let endpoint = workerMetrics
        workerSettings["METRICS_BIND"] = "\(NetworkAddress.inURL(endpoint.host)):\(endpoint.port)"
        let options = usesSimulator ? ["--simulator"] : []
        try group.start("serve", options, settings)
        try group.start("worker", options, workerSettings)
        let api = try await group.ready("serve")
        _ = try await group.ready("worker")
        return Places(api: api, inbox: inbox)
    }

    private func greet(_ places: Places, _ demo: Demo?) async throws {
        guard let demo else {
            Terminal.write("\nSineta runs at \(places.api)\n\nCtrl-C stops everything.\n")
            return
        }
        Terminal.write(
            try await demo.card(
                api: places.api, inbox: places.inbox,
                inboxHasKey: configuration.simulator.key != nil))
    }

    /// API and worker drain while the simulator still answers them.
    private func stop(_ group: ProcessGroup) async {
        let grace = configuration.server.shutdownGrace + .seconds(5)
        await group.stop(["serve", "worker"], within: grace)
        await group.stop(["simulate"], within: .seconds(5))
    }

    private func authSecret(_ home: HomeFolder) throws(FileFault) -> Secret<String> {
        if let given = configuration.server.authSecret { return given }
        return try home.secret("auth-secret") { Base64URL.encode(SecureRandom.bytes(32)) }
    }
}
