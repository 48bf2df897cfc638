import Foundation
import Push
import Runtime
import Simulator
import TestKit
import Values
import WebClient

/// The simulator and senders for all its routes, beside an API under test.
final class SimulatedPushes: Sendable {
    let simulator: Simulator
    let providers: PushProviders
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder("pushes")
        let known = try SimulatorCredentials.make()
        let authority = try folder.write(known.authorityPEM, as: "ca.pem")
        simulator = Simulator(.anywhere, credentials: known)
        let ports = try simulator.start()
        func endpoint(_ port: Int) throws -> PushEndpoint {
            try PushEndpoint(
                url: "https://127.0.0.1:\(port)", variable: "X", caPath: authority)
        }
        let credentials = APNsCredentials(
            key: known.apnsKey, keyID: known.apnsKeyID, teamID: known.apnsTeamID,
            bundleID: known.apnsTopic)
        let settings = PushSettings(timeout: .seconds(20))
        let account = try FCMCredentials(
            json: known.serviceAccountJSON(), variable: "X", project: nil,
            tokenURL: "https://127.0.0.1:\(ports.fcm)/token")
        providers = PushProviders(
            apns: [
                APNsSender(
                    route: .apns(.production), credentials: credentials,
                    endpoint: try endpoint(ports.apnsProduction), settings: settings),
                APNsSender(
                    route: .apns(.sandbox), credentials: credentials,
                    endpoint: try endpoint(ports.apnsSandbox), settings: settings),
            ],
            fcm: [
                FCMSender(
                    route: .fcm(), credentials: account, endpoint: try endpoint(ports.fcm),
                    web: WebClient(caPath: authority), settings: settings)
            ])
    }

    /// Sets one answer ahead.
    func next(_ status: Int, _ reason: String? = nil) {
        var rule = ScriptRule()
        rule.next = 1
        rule.status = status
        rule.reason = reason
        simulator.script.add(rule)
    }

    func stop() async {
        providers.close()
        await simulator.stop()
    }

    /// An API beside a simulator.
    static func run(_ body: (TestAPI, SimulatedPushes) async throws -> Void) async throws {
        let pushes = try SimulatedPushes()
        do {
            try await TestAPI.run(providers: pushes.providers) { try await body($0, pushes) }
        } catch {
            await pushes.stop()
            throw error
        }
        await pushes.stop()
    }
}
