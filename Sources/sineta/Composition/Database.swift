import Postgres
import Runtime
import Storage
import Values

/// The database as this process reaches it, and the acts that the command line does on it.
struct Database: Sendable {
    /// As whom the product runs.
    let application: PostgresConfiguration
    /// As whom the schema is changed.
    let owner: PostgresConfiguration
    private let ownerVariable: String

    /// - Throws: `ConfigurationFaults` that name the variable.
    init(_ settings: DatabaseSettings) throws(ConfigurationFaults) {
        guard let url = settings.url, let ownerURL = settings.ownerURL else {
            throw ConfigurationFaults(
                "DATABASE_URL", "is required: set it to postgresql://user:password@host/database")
        }
        let pooler: PostgresConfiguration.Pooler =
            switch settings.pooler {
            case .none: .none
            case .transaction: .transaction
            }
        application = try Self.parse("DATABASE_URL", url, pooler)
        ownerVariable = settings.hasOwner ? "DATABASE_OWNER_URL" : "DATABASE_URL"
        owner = try Self.parse(ownerVariable, ownerURL, .none)
    }

    init(_ cluster: EmbeddedCluster) throws(ConfigurationFaults) {
        application = try Self.parse("DATABASE_URL", Secret(cluster.applicationURL), .none)
        ownerVariable = "DATABASE_OWNER_URL"
        owner = try Self.parse(ownerVariable, Secret(cluster.ownerURL), .none)
    }

    private static func parse(
        _ variable: String, _ url: Secret<String>, _ pooler: PostgresConfiguration.Pooler
    ) throws(ConfigurationFaults) -> PostgresConfiguration {
        do throws(PostgresConfigurationFault) {
            let configuration = try PostgresConfiguration(url: url.reveal(), pooler: pooler)
            return configuration.with(applicationName: "sineta")
        } catch {
            throw ConfigurationFaults(variable, error.description)
        }
    }

    /// Brings the schema up to date, declares this version's events to `sineta.emit`, and lets the
    /// product's role in.
    ///
    /// - Parameter ahead: is told how many steps are to be taken, before each and at last with 0.
    /// - Returns: how many steps were taken.
    func migrate(
        deadline: Deadline, log: Log, ahead: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws(CommandFault) -> Int {
        do {
            let done = try await Migrator(Schema.migrations, configuration: owner, log: log)
                .migrate(deadline: deadline, ahead: ahead)
            let pool = PostgresPool(owner, name: "owner", size: 1, log: log)
            try await Schema.declareEvents(pool: pool, deadline: deadline)
            try await Schema.admit(
                login: application.user ?? "", pool: pool, deadline: deadline)
            await pool.close()
            return done.count
        } catch {
            throw Self.fault(error, ownerVariable)
        }
    }

    /// Refuses a schema that is not this version's, and a role that row-level security does not
    /// bind.
    ///
    /// - Parameter pool: of the product's role.
    func check(_ pool: PostgresPool, log: Log) async throws(CommandFault) {
        let deadline = Deadline.after(.seconds(30))
        do {
            let migrator = Migrator(Schema.migrations, configuration: application, log: log)
            let pending = try await migrator.state(deadline: deadline).pending.count
            guard pending == 0 else {
                throw CommandFault(
                    .failed, "the schema lacks \(pending) steps of this version: run sineta migrate"
                )
            }
            if let fault = try await Schema.loginFault(pool: pool, deadline: deadline) {
                throw CommandFault(.configuration, "DATABASE_URL: \(fault)")
            }
        } catch let fault as CommandFault {
            throw fault
        } catch {
            throw Self.fault(error)
        }
    }

    /// Reads the clock for the first time, so that nothing is dated by another.
    func read(_ clock: PostgresClock) async throws(CommandFault) {
        do throws(PostgresError) {
            try await clock.read(deadline: .after(.seconds(30)))
        } catch {
            throw Self.fault(error)
        }
    }

    /// What to do about an error of the database, in one line.
    static func fault(_ error: any Error, _ variable: String = "DATABASE_URL") -> CommandFault {
        let underlying: PostgresError? =
            switch error {
            case let error as PostgresError: error
            case MigrationError.database(let error): error
            default: nil
            }
        guard let underlying else { return CommandFault(.failed, "\(error)") }
        switch underlying.sqlState {
        case "28P01", "28000":
            return CommandFault(
                .configuration, "\(variable): the server refuses the user or its password")
        case "3D000":
            return CommandFault(
                .configuration, "\(variable): there is no such database: make it with createdb")
        default:
            guard underlying.isUnavailable else { return CommandFault(.failed, "\(underlying)") }
            return CommandFault(
                .unavailable, "\(variable): \(underlying); start PostgreSQL there, or mend the URL")
        }
    }
}
