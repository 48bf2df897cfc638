import Alerts
import Cryptography
import Foundation
import HTTP2
import Push
import Runtime
import Simulator
import TestKit
import Values
import WebClient

/// The simulator, and senders that speak to it, all by one clock.
final class SimulatedProviders: Sendable {
    let clock = TestClock()
    let simulator: Simulator
    let ports: SimulatorPorts
    private let folder: TemporaryFolder
    private let caPath: String

    init() throws {
        folder = try TemporaryFolder("providers")
        var configuration = SimulatorConfiguration.anywhere
        configuration.clock = { [clock] in clock.now }
        let credentials = try SimulatorCredentials.make()
        caPath = try folder.write(credentials.authorityPEM, as: "ca.pem")
        simulator = Simulator(configuration, credentials: credentials)
        ports = try simulator.start()
    }

    func stop() async {
        await simulator.stop()
    }

    private func endpoint(_ port: Int) throws -> PushEndpoint {
        try PushEndpoint(url: "https://127.0.0.1:\(port)", variable: "X", caPath: caPath)
    }

    /// - Parameter key: another than the one that the simulator knows.
    func apns(_ environment: APNsEnvironment, key: SigningKey? = nil) throws -> APNsSender {
        let known = simulator.credentials
        return APNsSender(
            route: .apns(environment),
            credentials: APNsCredentials(
                key: key ?? known.apnsKey, keyID: known.apnsKeyID, teamID: known.apnsTeamID,
                bundleID: known.apnsTopic),
            endpoint: try endpoint(
                environment == .production ? ports.apnsProduction : ports.apnsSandbox),
            settings: PushSettings(timeout: .seconds(20)), clock: clock.push)
    }

    /// - Parameter account: another than the one that the simulator knows.
    func fcm(account: String? = nil) throws -> FCMSender {
        let json = try account.map { Secret($0) } ?? simulator.credentials.serviceAccountJSON()
        return FCMSender(
            route: .fcm(),
            credentials: try FCMCredentials(
                json: json, variable: "X", project: nil,
                tokenURL: "https://127.0.0.1:\(ports.fcm)/token"),
            endpoint: try endpoint(ports.fcm), web: WebClient(caPath: caPath),
            settings: PushSettings(timeout: .seconds(20)), clock: clock.push)
    }

    private var push: OutgoingPush {
        let text = AlertText(title: "Olá", body: "Teste")
        return .test(id: PushID(.v7()), text: text, now: clock.now)
    }

    func apnsPush() -> APNsPush {
        APNsPush(
            token: Secret(Hex.encode(SecureRandom.bytes(32))),
            payload: APNsPayload(push, bundleID: simulator.credentials.apnsTopic),
            registeredAt: clock.now)
    }

    func fcmPush() -> FCMPush {
        let token = "device:\(Hex.encode(SecureRandom.bytes(32)))"
        return FCMPush(FCMPayload(push, token: token, now: clock.now))
    }

    /// The different bearers that one double has seen.
    func bearers(_ environment: String) -> Set<String> {
        let entries = simulator.inbox.entries().filter { $0.environment == environment }
        return Set(entries.compactMap { $0.header("authorization") })
    }
}
