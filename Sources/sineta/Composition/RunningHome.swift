import Postgres
import Runtime
import Values

// What commands find beside a running `up`, by SINETA_HOME alone.

extension Database {
    /// The database of `DATABASE_URL`, else the home's own, which must be up.
    static func running(_ configuration: Configuration, _ log: Log) throws -> Database {
        guard configuration.database.url == nil else {
            return try Database(configuration.database)
        }
        let home = configuration.home
        guard Files.exists("\(home)/run") else {
            throw ConfigurationFaults(
                "DATABASE_URL",
                "is required, since no sineta up runs in \(home): start one, or set it to "
                    + "postgresql://user:password@host/database")
        }
        let cluster = try EmbeddedCluster(home: home, log: log)
        guard cluster.processID != nil else {
            throw CommandFault(
                .unavailable, "nothing runs in \(home): start sineta up, or set DATABASE_URL")
        }
        return try Database(cluster)
    }
}

enum HomeSecret {
    /// `AUTH_SECRET`, else with the home's own database the one that `up` keeps in the home: another
    /// database's sessions and tokens were signed with another.
    ///
    /// - Throws: `ConfigurationFaults` where there is neither.
    static func required(_ configuration: Configuration) throws -> Secret<String> {
        if let given = configuration.server.authSecret { return given }
        let file = "\(configuration.home)/auth-secret"
        guard configuration.database.url == nil, Files.exists(file) else {
            throw ConfigurationFaults(
                "AUTH_SECRET",
                "is required: set it to what `openssl rand -base64 32` prints, the same everywhere")
        }
        return Secret(try Files.readText(file))
    }
}
