public import Runtime

extension PostgresQuery {
    /// Takes the role until the transaction ends. `set_config` takes it as a value, where SET ROLE
    /// wants it in its text.
    public static func taking(role: String) -> PostgresQuery {
        PostgresQuery("select set_config('role', $1, true)", .text(role))
    }
}

extension PostgresPool {
    /// Runs one statement as `role`: that of the pool's sessions
    /// (`PostgresConfiguration.with(role:)`), or, behind a transaction pooler, where sessions have
    /// none, in a transaction that takes it.
    public func query(
        _ query: PostgresQuery, as role: String, deadline: Deadline
    ) async throws(PostgresError) -> PostgresRows {
        if configuration.pooler == .none { return try await self.query(query, deadline: deadline) }
        return try await transaction(as: role, deadline: deadline) { try $0.query(query) }
    }

    /// Runs `body`, which throws nothing but `PostgresError`, in a transaction as `role`, which is
    /// taken behind the preamble in the round trip of BEGIN.
    public func transaction<Result: Sendable>(
        as role: String, preamble: [PostgresQuery] = [], deadline: Deadline,
        _ body: @escaping @Sendable (PostgresTransaction) throws -> Result
    ) async throws(PostgresError) -> Result {
        do {
            return try await transaction(
                deadline: deadline, preamble: preamble + [.taking(role: role)], body)
        } catch let error as PostgresError {
            throw error
        } catch {
            throw .decoding("\(error)")
        }
    }
}
