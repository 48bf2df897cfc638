import Runtime
import Values

/// The roles and the database of an embedded cluster, made if they are not there.
enum ClusterRoles {
    static func make(_ url: String, _ deadline: Deadline) throws(PostgresError) {
        let connection = try connect(url, deadline)
        let roles = try names(connection, "SELECT rolname::text FROM pg_roles", deadline)
        let databases = try names(connection, "SELECT datname::text FROM pg_database", deadline)
        if !roles.contains(EmbeddedCluster.ownerRole) {
            try connection.runScript(
                "CREATE ROLE \(EmbeddedCluster.ownerRole) LOGIN CREATEROLE", deadline: deadline)
        }
        if !roles.contains(EmbeddedCluster.applicationRole) {
            try connection.runScript(
                "CREATE ROLE \(EmbeddedCluster.applicationRole) LOGIN", deadline: deadline)
        }
        if !databases.contains(EmbeddedCluster.database) {
            try connection.runScript(
                "CREATE DATABASE \(EmbeddedCluster.database) OWNER \(EmbeddedCluster.ownerRole)",
                deadline: deadline)
        }
    }

    /// A server that was adopted may still be recovering: it is asked again until `deadline`.
    private static func connect(
        _ url: String, _ deadline: Deadline
    ) throws(PostgresError) -> Connection {
        let configuration: PostgresConfiguration
        do throws(PostgresConfigurationFault) {
            configuration = try PostgresConfiguration(url: url)
        } catch {
            throw .unreachable(error.description)
        }
        while true {
            do throws(PostgresError) {
                return try Connection.open(configuration, deadline: deadline)
            } catch {
                if deadline.hasPassed { throw error }
                Pause.sleep(.milliseconds(50))
            }
        }
    }

    private static func names(
        _ connection: Connection, _ sql: StaticSQL, _ deadline: Deadline
    ) throws(PostgresError) -> Set<String> {
        var names: Set<String> = []
        for row in try connection.query(PostgresQuery(sql), deadline: deadline) {
            names.insert(try row.text(0))
        }
        return names
    }
}
