import Cryptography
import Runtime
import Values

/// A folder with the keys of a simulator and the file of variables that points a server at it.
public struct SimulatorHome: Sendable {
    /// Made when the keys are.
    public let directory: String

    private var apnsKey: String { "\(directory)/apns.p8" }
    private var account: String { "\(directory)/service-account.json" }
    private var accountKey: String { "\(directory)/service-account.key" }
    private var authority: String { "\(directory)/ca.pem" }
    private var certificate: String { "\(directory)/server.pem" }
    private var certificateKey: String { "\(directory)/server.key" }
    /// `NAME=value` lines.
    public var environmentFile: String { "\(directory)/env" }

    /// Touches nothing.
    public init(_ directory: String) {
        self.directory = directory
    }

    /// The credentials of the folder; made there when they are missing. Keys are files that only
    /// their owner reads.
    public func credentials(names: [String] = []) throws(SimulatorFault) -> SimulatorCredentials {
        let files = [apnsKey, accountKey, authority, certificate, certificateKey]
        if files.allSatisfy(Files.exists) { return try load() }
        let made = try SimulatorCredentials.make(names: names)
        try save(made)
        return made
    }

    /// Writes keys, service account and `env`.
    public func write(
        _ credentials: SimulatorCredentials, ports: SimulatorPorts, host: String
    ) throws(SimulatorFault) {
        try save(credentials)
        let json = try credentials.serviceAccountJSON()
        var lines = ["# Points server and worker at the simulator: no push leaves this machine."]
        for (name, value) in variables(credentials, ports: ports, host: host) {
            lines.append("\(name)=\(value)")
        }
        try filing { () throws(FileFault) in
            try Files.write(json.reveal().utf8, to: account, mode: 0o600)
            try Files.write((lines.joined(separator: "\n") + "\n").utf8, to: environmentFile)
        }
    }

    /// Every variable that a server and a worker need, in the order of the file.
    public func variables(
        _ credentials: SimulatorCredentials, ports: SimulatorPorts, host: String
    ) -> [(name: String, value: String)] {
        let name = NetworkAddress.inURL(host)
        return [
            ("APNS_KEY_PATH", apnsKey),
            ("APNS_KEY_ID", credentials.apnsKeyID),
            ("APNS_TEAM_ID", credentials.apnsTeamID),
            ("APNS_TOPIC", credentials.apnsTopic),
            ("APNS_PRODUCTION_URL", "https://\(name):\(ports.apnsProduction)"),
            ("APNS_SANDBOX_URL", "https://\(name):\(ports.apnsSandbox)"),
            ("FCM_SERVICE_ACCOUNT_PATH", account),
            ("FCM_URL", "https://\(name):\(ports.fcm)"),
            ("FCM_TOKEN_URL", "https://\(name):\(ports.fcm)/token"),
            ("PROVIDER_CA_PATH", authority),
        ]
    }

    private func save(_ credentials: SimulatorCredentials) throws(SimulatorFault) {
        let keys: (apns: Secret<String>, account: Secret<String>)
        do { keys = (try credentials.apnsKey.pem(), try credentials.accountKey.pem()) } catch {
            throw SimulatorFault("cannot write keys: \(error)")
        }
        try filing { () throws(FileFault) in
            try Files.makeDirectory(directory, mode: 0o700)
            try Files.write(keys.apns.reveal().utf8, to: apnsKey, mode: 0o600)
            try Files.write(keys.account.reveal().utf8, to: accountKey, mode: 0o600)
            try Files.write(credentials.authorityPEM.utf8, to: authority)
            try Files.write(credentials.serverCertificatePEM.utf8, to: certificate)
            try Files.write(
                credentials.serverKeyPEM.reveal().utf8, to: certificateKey, mode: 0o600)
        }
    }

    private func load() throws(SimulatorFault) -> SimulatorCredentials {
        let texts = try filing { () throws(FileFault) in
            (
                try Files.readText(apnsKey), try Files.readText(accountKey),
                try Files.readText(authority), try Files.readText(certificate),
                try Files.readText(certificateKey)
            )
        }
        do throws(KeyFault) {
            return SimulatorCredentials(
                apnsKey: try .ec(pem: texts.0), accountKey: try .rsa(pem: texts.1),
                authorityPEM: texts.2, serverCertificatePEM: texts.3,
                serverKeyPEM: Secret(texts.4))
        } catch {
            throw SimulatorFault("\(directory) holds a key that cannot be read: \(error)")
        }
    }

    private func filing<Result>(
        _ body: () throws(FileFault) -> Result
    ) throws(SimulatorFault) -> Result {
        do { return try body() } catch { throw SimulatorFault("\(error)") }
    }
}

extension Simulator {
    /// Makes a folder ready before the simulator starts: keys (those that are there stay), service
    /// account, and `env` for the ports of the configuration, which must be fixed.
    ///
    /// - Returns: the credentials to start it with.
    public static func makeHome(
        _ directory: String, for configuration: SimulatorConfiguration
    ) throws(SimulatorFault) -> SimulatorCredentials {
        guard configuration.port > 0 else {
            throw SimulatorFault("SIMULATOR_PORT: must not be 0 for a home made before the start")
        }
        let home = SimulatorHome(directory)
        let credentials = try home.credentials(names: [configuration.reachableHost])
        try home.write(
            credentials, ports: SimulatorPorts(from: configuration.port),
            host: configuration.reachableHost)
        return credentials
    }

    /// Makes a folder for a simulator that listens, whatever ports it got.
    @discardableResult
    public func makeHome(_ directory: String) throws(SimulatorFault) -> SimulatorHome {
        guard let ports else { throw SimulatorFault("the simulator does not listen yet") }
        let home = SimulatorHome(directory)
        try home.write(credentials, ports: ports, host: configuration.reachableHost)
        return home
    }
}
