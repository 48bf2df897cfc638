import Glibc
public import Postgres
public import Runtime
import Values

/// A database for one test, cloned from a template that was migrated once.
///
///     try await withTestDatabase(Schema.migrations) { database in
///         let pool = database.pool()
///         …
///     }
public struct TestDatabase: Sendable {
    static let prefix = "test_"

    /// Who connects.
    public enum Role: Sendable {
        /// Passes every check, row-level security too: for arranging and looking behind the scenes.
        case superuser
        /// Owns the tables and may make roles; no superuser.
        case owner
        /// What the product logs in as.
        case application

        public var name: String {
            switch self {
            case .superuser: "postgres"
            case .owner: EmbeddedCluster.ownerRole
            case .application: EmbeddedCluster.applicationRole
            }
        }
    }

    public let name: String
    let cluster: EmbeddedCluster

    /// Clones a database with the migrations applied. It stays until `drop` or the end of the
    /// last test process; `withTestDatabase` drops it with the test.
    ///
    /// - Parameters:
    ///   - key: tells templates of the same migrations apart when `prepare` differs.
    ///   - prepare: adds to the template, once, after the migrations: roles, grants, seeds. Nobody
    ///     may be connected to it any more when it returns.
    public static func make(
        _ migrations: [Migration] = [], key: String = "",
        prepare: @escaping @Sendable (TestDatabase) async throws -> Void = { _ in }
    ) async throws -> TestDatabase {
        let template = try await TestTemplates.shared.template(
            migrations, key: key, prepare: prepare)
        let cluster = try await TestCluster.shared.cluster()
        let unique = UUID.random().description.filter { $0 != "-" }
        let database = TestDatabase(name: prefix + unique, cluster: cluster)
        try await TestCluster.shared.administrator().create(
            database.name, owner: Role.owner.name, template: template, copiesFiles: true,
            deadline: .after(.seconds(60)))
        return database
    }

    /// Drops the database and ends whatever is connected to it.
    public func drop() async throws {
        try await TestCluster.shared.administrator().drop(name, deadline: .after(.seconds(60)))
    }

    /// A connection URL, as `DATABASE_URL` takes it.
    public func url(_ role: Role = .application) -> String {
        cluster.url(role: role.name, database: name)
    }

    public func configuration(_ role: Role = .application) throws -> PostgresConfiguration {
        var configuration = try PostgresConfiguration(url: url(role))
        configuration.connectTimeout = Self.connectTimeout
        return configuration
    }

    /// On a busy machine a new session may be long in coming, and scripts try once.
    static let connectTimeout = Duration.seconds(30)

    /// A proxy before the server that can be told to misbehave.
    public func faultProxy() throws -> FaultProxy {
        try FaultProxy(to: .unix(cluster.socketPath))
    }

    /// Connects through the proxy.
    public func configuration(
        _ role: Role = .application, through proxy: FaultProxy
    ) throws -> PostgresConfiguration {
        try PostgresConfiguration(
            url: "postgresql://\(role.name)@127.0.0.1:\(proxy.port)/\(name)?sslmode=disable")
    }

    /// A pool. It closes its connections when it is released.
    public func pool(
        _ role: Role = .application, size: Int = 4, log: Log = .silent, metrics: Metrics? = nil
    ) throws -> PostgresPool {
        PostgresPool(try configuration(role), name: "test", size: size, log: log, metrics: metrics)
    }

    /// Runs a script as `role`.
    public func run(_ script: String, as role: Role = .superuser) async throws {
        try await DatabaseAdministrator(try configuration(role)).execute(
            script, deadline: .after(.seconds(60)))
    }
}

/// Gives `body` a database of its own and drops it afterwards, whatever happened.
@discardableResult
public func withTestDatabase<Result: Sendable>(
    _ migrations: [Migration] = [], key: String = "",
    prepare: @escaping @Sendable (TestDatabase) async throws -> Void = { _ in },
    _ body: (TestDatabase) async throws -> Result
) async throws -> Result {
    let database = try await TestDatabase.make(migrations, key: key, prepare: prepare)
    let outcome: Swift.Result<Result, any Error>
    do {
        outcome = .success(try await body(database))
    } catch {
        outcome = .failure(error)
    }
    try await database.drop()
    return try outcome.get()
}
