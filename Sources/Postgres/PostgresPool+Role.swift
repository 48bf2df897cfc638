public import Runtime

extension PostgresQuery {
    /// Takes the role until the transaction ends. `set_config` takes it as a value, where SET ROLE
    /// wants it in its text.
    public static func taking(role: String) -> PostgresQuery {
        PostgresQuery("select set_config('role', $1, true)", .text(role))
    }
}

extension PostgresPool {
    /// Runs one statement as `role`. Where the pool's sessions are in it
    /// (`PostgresConfiguration.with(role:)`) that takes nothing more; elsewhere, as behind a
    /// transaction pooler, the role is taken in the same round trip.
    public func query(
        _ query: PostgresQuery, as role: String, deadline: Deadline
    ) async throws(PostgresError) -> PostgresRows {
        guard configuration.sessionRole != role else {
            return try await self.query(query, deadline: deadline)
        }
        let rows = try await reading([taking(role), query], deadline: deadline)
        guard rows.count == 2 else { throw .decoding("no result") }
        return rows[1]
    }

    /// Runs `body`, which throws nothing but `PostgresError`, in a transaction as `role`, which is
    /// taken behind the preamble in the round trip of BEGIN.
    public func transaction<Result: Sendable>(
        as role: String, preamble: [PostgresQuery] = [], deadline: Deadline,
        _ body: @escaping @Sendable (PostgresTransaction) throws -> Result
    ) async throws(PostgresError) -> Result {
        do {
            return try await transaction(
                deadline: deadline, preamble: preamble + [taking(role)], body)
        } catch let error as PostgresError {
            throw error
        } catch {
            throw .decoding("\(error)")
        }
    }
    /// The role, and the settings that the configuration wants and sessions do not have.
    private func taking(_ role: String) -> PostgresQuery {
        let settings = configuration.transactionSettings
        guard !settings.isEmpty else { return .taking(role: role) }
        return PostgresQuery(
            "select set_config(name, value, true) from unnest($1, $2) as s (name, value)",
            .texts(["role"] + settings.map(\.name)), .texts([role] + settings.map(\.value)))
    }
}
