import Postgres
import Push
import Runtime
import Storage
import Values

/// What `serve` and `worker` have in common: configuration, log, metrics, database, texts,
/// providers.
struct ServiceProcess: Sendable {
    let configuration: Configuration
    let log: Log
    let metrics = Metrics()
    let database: Database
    let shutdown: Shutdown
    private let isSupervised: Bool

    /// Reads the environment. With the simulator of this home asked for, it finds there what the
    /// environment leaves out: where the simulator listens, the database.
    ///
    /// - Throws: every fault of the environment at once.
    init(_ name: String, _ invocation: Invocation) throws {
        var environment = invocation.environment
        let isOfHome = invocation.has("--simulator")
        if isOfHome { try SimulatorSeam.overlay(&environment) }
        configuration = try Configuration(environment)
        log = configuration.log.make().with(["process": .text(name)])
        database =
            isOfHome
            ? try Database.running(configuration, log) : try Database(configuration.database)
        shutdown = invocation.shutdown
        isSupervised = invocation.has(Supervision.option)
        if isSupervised { Supervision.follow(shutdown) }
        LogOutput.standardError.countLost(in: metrics)
        for warning in configuration.warnings { log.warning(warning) }
        if isOfHome { log.warning("push goes to the simulator") }
    }

    /// A pool of the product's role.
    ///
    /// - Parameter login: what its sessions are in besides.
    func pool(
        _ name: String, size: Int,
        as login: (PostgresConfiguration) -> PostgresConfiguration = { $0 }
    ) -> PostgresPool {
        PostgresPool(
            login(database.application), name: name, size: size, log: log, metrics: metrics)
    }

    /// The senders; what is off or disabled is said once in the log.
    ///
    /// - Parameter clock: what dates tokens together with this machine's own.
    func providers(besides clock: PostgresClock) throws(ConfigurationFaults) -> Providers {
        let settings = configuration.providers
        let providers = try Providers(
            settings, timeout: configuration.delivery.providerTimeout,
            clock: .steady(besides: { clock.now() }), log: log, metrics: metrics)
        for each in providers.faults {
            log.error(
                "push provider is off",
                [
                    "provider": .text(each.provider), "variable": .text(each.fault.variable),
                    "problem": .text(each.fault.problem),
                ])
        }
        if !settings.isAnySet { log.info("push notifications disabled") }
        return providers
    }

    /// Tells the log, and `up` if that started this process, that it does its work.
    func ready(_ address: String) {
        log.info("ready", ["address": .text(address)])
        if isSupervised { Supervision.ready(address) }
    }
}

/// How processes find the simulator of their home: a file of variables that it writes.
enum SimulatorSeam {
    static func folder(_ home: String) -> String { "\(home)/simulator" }

    /// Where it writes the variables that point API and worker at it.
    static func environmentFile(_ home: String) -> String { "\(folder(home))/env" }

    /// Adds the simulator's variables.
    ///
    /// - Throws: `CommandFault` when there are real credentials, or no simulator.
    static func overlay(_ environment: inout [String: String]) throws {
        try refuseCredentials(environment)
        let home = try Configuration(environment).home
        let file = environmentFile(home)
        do throws(FileFault) {
            for line in try Files.readText(file).split(separator: "\n") {
                guard let equals = line.firstIndex(of: "=") else { continue }
                environment[String(line[..<equals])] = String(line[line.index(after: equals)...])
            }
        } catch {
            throw CommandFault(
                .configuration, "\(error): start sineta simulate --home \(folder(home)) first")
        }
    }

    /// A simulator beside real credentials would make pushes go where nobody expects them.
    static func refuseCredentials(
        _ environment: [String: String]
    ) throws(ConfigurationFaults) {
        let set = ProviderSettings.credentialVariables.filter { !(environment[$0] ?? "").isEmpty }
        guard set.isEmpty else {
            throw ConfigurationFaults(
                set.map {
                    EnvironmentFault(
                        variable: $0,
                        problem: "is set beside --simulator: unset it, or leave that out")
                })
        }
    }
}
