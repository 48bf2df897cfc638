import Runtime
import Values

/// Where the data is.
struct DatabaseSettings: Sendable {
    enum Pooler: String, Sendable, CaseIterable { case none, transaction }

    let url: Secret<String>?
    /// Who migrates; `url` when nothing is said.
    let ownerURL: Secret<String>?
    let hasOwner: Bool
    let pooler: Pooler

    init(_ reader: inout SettingsReader) {
        url = reader.secret(
            "DATABASE_URL", form: "postgresql://user:password@host/database, several hosts allowed",
            standard: "none; `up` then runs a PostgreSQL of its own",
            "the database that all processes share; its role may not be a superuser")
        let owner = reader.secret(
            "DATABASE_OWNER_URL", form: "as `DATABASE_URL`", standard: "`DATABASE_URL`",
            "the role that `migrate` and `up` change the schema with; it needs CREATEROLE")
        ownerURL = owner ?? url
        hasOwner = owner != nil
        let name = reader.choice(
            "DATABASE_POOLER", Pooler.none.rawValue, of: Pooler.allCases.map(\.rawValue),
            "`transaction` behind PgBouncer and its kind: no LISTEN, no named statements")
        pooler = Pooler(rawValue: name) ?? .none
    }
}

/// What listens where, and whom it believes.
struct ServerSettings: Sendable {
    let bind: String
    let port: Int
    let metrics: ListenAddress
    let workerMetrics: ListenAddress
    let authSecret: Secret<String>?
    let trustedProxies: [String]
    let corsOrigins: [String]
    let localizationPath: String
    let shutdownGrace: Duration

    init(_ reader: inout SettingsReader) {
        bind = reader.bindAddress("BIND", "127.0.0.1", "address of the HTTP API")
        port = reader.integer(
            "PORT", 8080, in: 0...65535, "port of the HTTP API; 0 takes a free one and says which")
        let given = reader.endpoint(
            "METRICS_BIND", standard: "`127.0.0.1:9090`, worker `127.0.0.1:9091`",
            "where `/metrics` listens; with `up` the worker takes the next port")
        metrics = given ?? ListenAddress(host: "127.0.0.1", port: 9090)
        workerMetrics = given ?? ListenAddress(host: "127.0.0.1", port: 9091)
        authSecret = Self.authSecret(&reader)
        trustedProxies = reader.list(
            "TRUSTED_PROXIES", form: "addresses or networks",
            "whose `X-Forwarded-For` is believed, read from right to left",
            problem: "must be an address or a network, as 10.0.0.0/8", NetworkAddress.isNetwork)
        corsOrigins = reader.list(
            "CORS_ORIGINS", form: "origins",
            "which web pages may call the API (never with credentials)",
            problem: "must be an origin, as https://app.example.com", Self.isOrigin)
        localizationPath =
            reader.text(
                "LOCALIZATION_PATH", form: "a folder", standard: "`Localization`",
                "the texts of all languages, one JSON file each") ?? "Localization"
        shutdownGrace = reader.seconds(
            "SHUTDOWN_GRACE_SECONDS", 25, in: 0...600,
            "how long a process may finish what is in flight after SIGTERM")
    }

    private static func authSecret(_ reader: inout SettingsReader) -> Secret<String>? {
        let secret = reader.secret(
            "AUTH_SECRET", form: "32 bytes or more", standard: "none; `up` makes one in its home",
            "signs sessions and store API tokens; another value ends them all")
        if let secret, secret.reveal().utf8.count < 32 {
            reader.refuse(
                "AUTH_SECRET", "must have 32 bytes or more, as `openssl rand -base64 32` makes them"
            )
        }
        return secret
    }

    private static func isOrigin(_ text: String) -> Bool {
        for scheme in ["https://", "http://"] where text.hasPrefix(scheme) {
            let host = text.dropFirst(scheme.count)
            return !host.isEmpty && !host.contains { "/?#@ ".contains($0) }
        }
        return false
    }
}

/// How the log is written.
struct LogSettings: Sendable {
    let level: Log.Level
    let format: Log.Format

    init(_ reader: inout SettingsReader) {
        let levels = Log.Level.allCases.map(\.name)
        level =
            Log.Level(
                name: reader.choice(
                    "LOG_LEVEL", "info", of: levels, "the least grave records that are written"))
            ?? .info
        let formats = Log.Format.allCases.map(\.rawValue)
        format =
            Log.Format(
                rawValue: reader.choice(
                    "LOG_FORMAT", "json", of: formats, "one JSON object a line, or text for people")
            )
            ?? .json
    }

    func make() -> Log { Log(level: level, format: format) }
}
