public import Runtime

/// A transaction in the hands of its body, which runs on the connection's own thread.
///
/// It is over when the body returns; used after that it throws `PostgresError.closed`.
public final class PostgresTransaction {
    private let connection: Connection
    private var isOver = false
    private(set) var atCommit: [PostgresQuery] = []
    private(set) var isUndone = false

    /// What the statements of the preamble gave, in their order.
    public let preamble: [PostgresRows]
    /// Until when all of the transaction has to be done.
    public let deadline: Deadline

    init(_ connection: Connection, preamble: [PostgresRows], deadline: Deadline) {
        self.connection = connection
        self.preamble = preamble
        self.deadline = deadline
    }

    /// Runs one statement. After one that failed the server takes no other but a rollback to a
    /// savepoint; going on all the same ends in `PostgresError.rolledBack`.
    public func query(
        _ sql: StaticSQL, _ values: PostgresValue...
    ) throws(PostgresError) -> PostgresRows {
        try query(PostgresQuery(sql, values))
    }

    /// The same for a statement that was put together with its values.
    public func query(_ query: PostgresQuery) throws(PostgresError) -> PostgresRows {
        if isOver { throw .closed }
        return try connection.query(query, deadline: deadline)
    }

    /// Runs the statements in one round trip.
    ///
    /// - Returns: the rows of each, in order.
    /// - Throws: the first failure; those behind it have not run.
    public func pipeline(_ queries: [PostgresQuery]) throws(PostgresError) -> [PostgresRows] {
        if isOver { throw .closed }
        if queries.isEmpty { return [] }
        var rows: [PostgresRows] = []
        rows.reserveCapacity(queries.count)
        for outcome in try connection.run(queries, deadline: deadline) {
            rows.append(try outcome.get())
        }
        return rows
    }

    /// Sends rows to a `COPY table (columns) FROM STDIN (FORMAT binary)`: the fastest way in for
    /// thousands of rows. The types must be exactly those of the columns.
    ///
    /// - Returns: how many rows were taken.
    public func copyIn(
        _ sql: StaticSQL, _ rows: some Sequence<[PostgresValue]>
    ) throws(PostgresError) -> Int {
        if isOver { throw .closed }
        return try connection.copyIn(sql, rows, deadline: deadline)
    }

    /// Runs `body` so that its failure undoes what it did, and nothing before it.
    public func savepoint<Result>(_ body: (PostgresTransaction) throws -> Result) throws -> Result {
        _ = try query("SAVEPOINT inner_part")
        let outer = atCommit.count
        do {
            let result = try body(self)
            _ = try query("RELEASE SAVEPOINT inner_part")
            return result
        } catch {
            atCommit.removeSubrange(outer...)
            _ = try pipeline([
                PostgresQuery("ROLLBACK TO SAVEPOINT inner_part"),
                PostgresQuery("RELEASE SAVEPOINT inner_part"),
            ])
            throw error
        }
    }

    /// Adds statements that go out in the round trip of COMMIT, once the body has returned. Nobody
    /// sees their rows. When one fails nothing is committed, and `PostgresPool.transaction` throws
    /// it.
    public func atCommit(_ queries: [PostgresQuery]) throws(PostgresError) {
        if isOver { throw .closed }
        atCommit += queries
    }

    /// Lets nothing of the transaction stand, before or after this: ROLLBACK follows the body in
    /// the place of COMMIT, and what the body returns is the result all the same.
    public func undo() { isUndone = true }

    func end() { isOver = true }
}
