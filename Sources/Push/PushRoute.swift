/// Which credential a push goes out with: the app's, for one transport, in one environment. Lanes,
/// pauses and connections are each kept per route.
public struct PushRoute: Hashable, Sendable {
    /// The app whose device it is; today there is one.
    public let app: String
    /// What carries it: `apns`, `fcm`.
    public let transport: String
    /// `production` or `sandbox` of APNs; empty of FCM.
    public let environment: String

    /// The app that the environment's variables describe.
    public static let standardApp = "default"

    public static func apns(
        _ environment: APNsEnvironment, app: String = standardApp
    ) -> PushRoute {
        PushRoute(app: app, transport: "apns", environment: environment.rawValue)
    }

    public static func fcm(app: String = standardApp) -> PushRoute {
        PushRoute(app: app, transport: "fcm", environment: "")
    }

    public init(app: String = standardApp, transport: String, environment: String) {
        self.app = app
        self.transport = transport
        self.environment = environment
    }
}

/// One of Apple's two worlds: a debug build's token belongs to the sandbox.
public enum APNsEnvironment: String, Sendable, CaseIterable {
    case production
    case sandbox
}
