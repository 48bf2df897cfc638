public import Alerts
public import Cryptography
public import Push
public import Storage

/// What particular subjects stand on, beside what all endpoints share.
public struct Parts: Sendable {
    public let hasher: PasswordHasher
    public let lives: SessionLives
    public let ingest: IngestGroup
    /// How old an event may be and still raise an alert; `ALERT_MAX_AGE_SECONDS`.
    public let alertMaxAge: Duration
    /// The texts of every language.
    public let wording: Wording
    /// The push providers that this process has credentials for.
    public let providers: PushProviders
    /// Why others, which are set, are off all the same.
    public let providerFaults: [ProviderFault]

    public init(
        hasher: PasswordHasher, lives: SessionLives = SessionLives(), ingest: IngestGroup,
        alertMaxAge: Duration = .seconds(3600), wording: Wording,
        providers: PushProviders = PushProviders(), providerFaults: [ProviderFault] = []
    ) {
        self.hasher = hasher
        self.lives = lives
        self.ingest = ingest
        self.alertMaxAge = alertMaxAge
        self.wording = wording
        self.providers = providers
        self.providerFaults = providerFaults
    }

    /// Whether a device on this route can be reached: step 10 of deciding.
    func isConfigured(_ route: DeviceRoute) -> Bool { providers.has(PushRoute(route)) }
}

/// A credential that is set and cannot be used: it switches its provider off.
public struct ProviderFault: Sendable, Equatable {
    /// `apns` or `fcm`.
    public let provider: String
    /// The variable that is wrong.
    public let variable: String
    /// What is wrong with it, without what is in it.
    public let problem: String

    public init(provider: String, variable: String, problem: String) {
        self.provider = provider
        self.variable = variable
        self.problem = problem
    }
}

/// How long tokens live.
public struct SessionLives: Sendable {
    /// `ACCESS_TTL_SECONDS`.
    public let access: Duration
    /// Without a refresh; `SESSION_TTL_SECONDS`.
    public let session: Duration
    /// How long a spent refresh token is still good when its successor was never used;
    /// `REFRESH_GRACE_SECONDS`.
    public let grace: Duration

    public init(
        access: Duration = .seconds(900), session: Duration = .seconds(30 * 86400),
        grace: Duration = .seconds(120)
    ) {
        self.access = access
        self.session = session
        self.grace = grace
    }
}

extension PushRoute {
    /// FCM knows no environments.
    init(_ route: DeviceRoute) {
        self.init(
            app: route.app, transport: route.transport.rawValue,
            environment: route.transport == .apns ? route.environment : "")
    }
}
