import Alerts
public import Jobs
public import Push
import Storage

/// The senders of this worker by the credential of their lanes. A credential without one is not
/// configured: step 10 of deciding says no, and its lanes are not claimed.
public struct Senders: Sendable {
    let byCredential: [Credential: any PushSending]

    public init(_ byCredential: [Credential: any PushSending]) {
        self.byCredential = byCredential
    }

    /// Those of the one app of today.
    public init(_ providers: PushProviders) {
        var senders: [Credential: any PushSending] = [:]
        for route in providers.routes where route.app == PushRoute.standardApp {
            let credential = Credential(name: route.transport, environment: route.environment)
            senders[credential] = providers.apns(route) ?? providers.fcm(route)
        }
        self.init(senders)
    }

    func isConfigured(_ route: DeviceRoute) -> Bool {
        byCredential[route.credential] != nil
    }
}

extension DeviceRoute {
    /// The credential of the lanes that carry pushes to the device. FCM knows no environments.
    var credential: Credential {
        let environment = transport == .apns ? environment : ""
        return Credential(name: transport.rawValue, environment: environment)
    }
}
