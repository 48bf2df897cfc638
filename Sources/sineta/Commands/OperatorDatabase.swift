import Postgres
import Runtime
import Storage
import Values

/// The database as the operator role. Without a DATABASE_URL it is the home's own.
struct OperatorDatabase: Sendable {
    private let pool: PostgresPool

    init(_ configuration: Configuration) throws {
        let log = configuration.log.make()
        pool = PostgresPool(
            try Database.running(configuration, log).application, name: "operator", size: 1,
            log: log)
    }

    /// Runs `body` as the operator role, in one transaction.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresTransaction) throws -> Result
    ) async throws -> Result {
        do {
            return try await pool.transaction(
                deadline: .after(.seconds(30)), preamble: Entry.preamble(role: .operator), body)
        } catch let error as PostgresError {
            throw Database.fault(error)
        }
    }
}
