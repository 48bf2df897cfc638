import Glibc
import Runtime
import Values

/// Everything that the environment says, read once and checked whole.
///
/// The groups are in the order in which help and README list them. Faulty credentials of a push
/// provider are not among the faults: they switch that provider off (`ProviderSettings`).
struct Configuration: Sendable {
    let home: String
    let database: DatabaseSettings
    let server: ServerSettings
    let log: LogSettings
    let sessions: SessionSettings
    let limits: LimitSettings
    let delivery: DeliverySettings
    let retention: RetentionSettings
    let providers: ProviderSettings
    let simulator: SimulatorSettings
    /// What is odd but good enough to start with, in words.
    let warnings: [String]

    /// - Throws: every fault of the environment at once.
    init(_ environment: [String: String]) throws(ConfigurationFaults) {
        var reader = SettingsReader(environment)
        self = Configuration(&reader, environment)
        guard reader.faults.isEmpty else { throw ConfigurationFaults(reader.faults) }
    }

    /// What every variable means, in the order of the help.
    static var variables: [Variable] {
        let anywhere = ["SINETA_HOME": "/"]
        var reader = SettingsReader(anywhere)
        _ = Configuration(&reader, anywhere)
        return reader.variables
    }

    private init(_ reader: inout SettingsReader, _ environment: [String: String]) {
        home = Home.path(&reader, environment)
        database = DatabaseSettings(&reader)
        server = ServerSettings(&reader)
        log = LogSettings(&reader)
        sessions = SessionSettings(&reader)
        limits = LimitSettings(&reader)
        delivery = DeliverySettings(&reader)
        retention = RetentionSettings(&reader)
        providers = ProviderSettings(&reader)
        simulator = SimulatorSettings(&reader)
        warnings = reader.warnings
    }
}

/// All that is wrong with the environment, one line per variable.
struct ConfigurationFaults: Error, CustomStringConvertible {
    let faults: [EnvironmentFault]

    init(_ faults: [EnvironmentFault]) {
        self.faults = faults
    }

    init(_ variable: String, _ problem: String) {
        faults = [EnvironmentFault(variable: variable, problem: problem)]
    }

    var description: String { faults.map(\.description).joined(separator: "\n") }
}

/// Where a process keeps its files.
enum Home {
    static func path(_ reader: inout SettingsReader, _ environment: [String: String]) -> String {
        let set = reader.text(
            "SINETA_HOME", form: "a folder",
            standard: "root: `/var/lib/sineta`, else `sineta` in "
                + "`XDG_STATE_HOME` or `~/.local/state`",
            "where `up` keeps the embedded database, its secret and the simulator's keys")
        if let set { return set }
        if geteuid() == 0 { return "/var/lib/sineta" }
        guard let user = environment["HOME"], !user.isEmpty else {
            reader.refuse("SINETA_HOME", "is required, since there is no HOME to put it in")
            return ""
        }
        // The base directory specification has relative paths ignored.
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return "\(state ?? "\(user)/.local/state")/sineta"
    }
}
