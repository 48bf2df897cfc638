public import Runtime

/// Makes and drops databases, over a connection of its own for each call.
public struct DatabaseAdministrator: Sendable {
    private let configuration: PostgresConfiguration

    /// - Parameter configuration: connects to another database of the server, as a role that may
    ///   make databases.
    public init(_ configuration: PostgresConfiguration) {
        self.configuration = configuration
    }

    /// Makes a database.
    ///
    /// - Parameters:
    ///   - template: the database to copy; nobody may be connected to it.
    ///   - copiesFiles: copy files between two checkpoints instead of writing all of it to the log
    ///     (`STRATEGY = file_copy`).
    public func create(
        _ name: String, owner: String? = nil, template: String? = nil, copiesFiles: Bool = false,
        deadline: Deadline
    ) async throws(PostgresError) {
        var sql = "CREATE DATABASE \(Self.quoted(name))"
        if let owner { sql += " OWNER \(Self.quoted(owner))" }
        if let template { sql += " TEMPLATE \(Self.quoted(template))" }
        if copiesFiles { sql += " STRATEGY file_copy" }
        try await execute(sql, deadline: deadline)
    }

    /// Drops a database and ends its connections; one that is not there is dropped already.
    public func drop(_ name: String, deadline: Deadline) async throws(PostgresError) {
        try await execute(
            "DROP DATABASE IF EXISTS \(Self.quoted(name)) WITH (FORCE)", deadline: deadline)
    }

    /// Fails while anybody is connected to it.
    public func rename(
        _ name: String, to other: String, deadline: Deadline
    ) async throws(PostgresError) {
        try await execute(
            "ALTER DATABASE \(Self.quoted(name)) RENAME TO \(Self.quoted(other))",
            deadline: deadline)
    }

    /// The names of all databases.
    public func names(deadline: Deadline) async throws(PostgresError) -> [String] {
        try await OwnThread.run("pg-admin") { () throws(PostgresError) in
            let connection = try Connection.open(configuration, deadline: deadline)
            let rows = try connection.query(
                PostgresQuery("SELECT datname::text FROM pg_database ORDER BY 1"),
                deadline: deadline)
            var names: [String] = []
            for row in rows { names.append(try row.text(0)) }
            return names
        }
    }

    /// Runs a script of one or many statements. It must never hold anything from outside.
    public func execute(_ script: String, deadline: Deadline) async throws(PostgresError) {
        try await OwnThread.run("pg-admin") { () throws(PostgresError) in
            let connection = try Connection.open(configuration, deadline: deadline)
            try connection.runScript(script, deadline: deadline)
        }
    }

    /// The name as an SQL identifier, whatever it holds.
    public static func quoted(_ name: String) -> String {
        var text = "\""
        for character in name.unicodeScalars where character != "\0" {
            if character == "\"" { text += "\"" }
            text.unicodeScalars.append(character)
        }
        return text + "\""
    }
}
