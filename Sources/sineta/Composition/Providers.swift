import Push
import Runtime
import Values
import WebClient

/// The push providers that the environment lets this process speak to.
struct Providers: Sendable {
    let push: PushProviders
    /// Why one that is set is off all the same.
    let faults: [Fault]

    /// A faulty credential; it stops nothing but its provider.
    struct Fault: Sendable, Equatable {
        let provider: String
        let fault: EnvironmentFault
    }

    /// - Throws: `ConfigurationFaults` for an address that is none.
    init(
        _ settings: ProviderSettings, timeout: Duration, clock: PushClock = .system, log: Log,
        metrics: Metrics
    ) throws(ConfigurationFaults) {
        let seams: Seams
        do throws(EnvironmentFault) {
            seams = try Seams(settings)
        } catch {
            throw ConfigurationFaults([error])
        }
        let push = PushSettings(timeout: timeout)
        var faults: [Fault] = []
        let apns = Self.credentials(settings.apns, "apns", &faults) {
            (apns) throws(EnvironmentFault) in
            [
                (APNsEnvironment.production, try Self.apns(apns.production, apns)),
                (.sandbox, try Self.apns(apns.sandbox, apns)),
            ]
        }
        let fcm = Self.credentials(settings.fcm, "fcm", &faults) { (fcm) throws(EnvironmentFault) in
            [
                try FCMCredentials(
                    json: fcm.account, variable: fcm.variable, project: fcm.project,
                    tokenURL: settings.fcmTokenURL)
            ]
        }
        let web = WebClient(caPath: settings.certificateAuthorities)
        self.push = PushProviders(
            apns: apns.map { environment, credentials in
                APNsSender(
                    route: .apns(environment), credentials: credentials,
                    endpoint: environment == .production ? seams.production : seams.sandbox,
                    settings: push, clock: clock, log: log, metrics: metrics)
            },
            fcm: fcm.map { credentials in
                FCMSender(
                    route: .fcm(), credentials: credentials, endpoint: seams.fcm, web: web,
                    settings: push, clock: clock, log: log, metrics: metrics)
            })
        self.faults = faults
    }

    /// Where the providers are spoken to.
    private struct Seams {
        let production: PushEndpoint
        let sandbox: PushEndpoint
        let fcm: PushEndpoint

        init(_ settings: ProviderSettings) throws(EnvironmentFault) {
            let authorities = settings.certificateAuthorities
            production = try PushEndpoint(
                url: settings.apnsProductionURL, variable: "APNS_PRODUCTION_URL",
                caPath: authorities)
            sandbox = try PushEndpoint(
                url: settings.apnsSandboxURL, variable: "APNS_SANDBOX_URL", caPath: authorities)
            fcm = try PushEndpoint(url: settings.fcmURL, variable: "FCM_URL", caPath: authorities)
        }
    }

    private static func apns(
        _ key: APNsSettings.Key, _ apns: APNsSettings
    ) throws(EnvironmentFault) -> APNsCredentials {
        try APNsCredentials(
            pem: key.pem, variable: key.variable, keyID: key.id, teamID: apns.team,
            bundleID: apns.topic)
    }

    private static func credentials<Settings, Credential>(
        _ settings: Credentials<Settings>, _ provider: String, _ faults: inout [Fault],
        _ read: (Settings) throws(EnvironmentFault) -> [Credential]
    ) -> [Credential] {
        switch settings {
        case .none: return []
        case .faulty(let found):
            faults += found.map { Fault(provider: provider, fault: $0) }
            return []
        case .ready(let settings):
            do throws(EnvironmentFault) {
                return try read(settings)
            } catch {
                faults.append(Fault(provider: provider, fault: error))
                return []
            }
        }
    }
}
