import Runtime
import Simulator

extension Composition {
    /// Stands in for both providers until it is asked to stop.
    static func simulate(_ invocation: Invocation) async throws -> ExitCode {
        let configuration = try Configuration(invocation.environment)
        let log = configuration.log.make().with(["process": "simulate"])
        if invocation.has(Supervision.option) { Supervision.follow(invocation.shutdown) }

        let settings = configuration.simulator
        var simulation = SimulatorConfiguration()
        simulation.bind = settings.bind
        simulation.port = settings.port
        simulation.key = settings.key
        simulation.discards = invocation.has("--discard")
        let home = SimulatorHome(
            invocation.value("--home") ?? SimulatorSeam.folder(configuration.home))
        let names = NetworkAddress.isAny(settings.bind) ? [] : [settings.bind]
        let simulator = Simulator(
            simulation, credentials: try home.credentials(names: names), log: log)
        let ports = try simulator.start()
        try simulator.makeHome(home.directory)

        let host = NetworkAddress.reachable(settings.bind)
        let address = "http://\(NetworkAddress.inURL(host)):\(ports.control)"
        log.info("ready", ["address": .text(address), "env": .text(home.environmentFile)])
        if invocation.has(Supervision.option) { Supervision.ready(address) }
        try await ServiceGroup([simulator], log: log)
            .run(until: invocation.shutdown, grace: configuration.server.shutdownGrace)
        return .done
    }
}
