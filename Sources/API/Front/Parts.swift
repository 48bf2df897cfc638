public import Cryptography
public import Storage

/// What particular subjects stand on, beside what all endpoints share.
public struct Parts: Sendable {
    public let hasher: PasswordHasher
    public let lives: SessionLives
    public let ingest: IngestGroup
    /// How old an event may be and still raise an alert; `ALERT_MAX_AGE_SECONDS`.
    public let alertMaxAge: Duration

    public init(
        hasher: PasswordHasher, lives: SessionLives = SessionLives(), ingest: IngestGroup,
        alertMaxAge: Duration = .seconds(3600)
    ) {
        self.hasher = hasher
        self.lives = lives
        self.ingest = ingest
        self.alertMaxAge = alertMaxAge
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
