public import Postgres
public import Values

/// Finding the dead by what an operator knows of them. Asks for role `sineta_operator`.
extension JobQueue {
    /// The numbers of those that are meant, the oldest first.
    ///
    /// - Parameter after: only those that are younger, for going on.
    public static func deadNumbers(
        _ filter: DeadLetterFilter, after: Int64 = 0, limit: Int,
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> [Int64] {
        try numbers(
            transaction.query(
                """
                select dead_id from sineta.jobs_dead
                where ($1::text is null or reason = $1) and ($2::uuid is null or store_id = $2)
                    and ($3::text is null or kind = $3) and dead_id > $4
                order by dead_id limit $5
                """,
                .optionalText(filter.reason), .optionalID(filter.store),
                .optionalText(filter.kind), .int64(after), .int(limit)))
    }

    /// The numbers of the jobs' letters: one each, and more where the same job died twice.
    public static func deadNumbers(
        of jobs: [JobID], in transaction: PostgresTransaction
    ) throws(PostgresError) -> [Int64] {
        try numbers(
            transaction.query(
                "select dead_id from sineta.jobs_dead where id = any ($1) order by dead_id",
                .ids(jobs)))
    }

    /// How many are meant, counted up to `limit`.
    public static func deadCount(
        _ filter: DeadLetterFilter, upTo limit: Int = 1_000_000,
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> Int {
        let rows = try transaction.query(
            """
            select count(*) from (
                select from sineta.jobs_dead
                where ($1::text is null or reason = $1) and ($2::uuid is null or store_id = $2)
                    and ($3::text is null or kind = $3) limit $4) meant
            """,
            .optionalText(filter.reason), .optionalID(filter.store),
            .optionalText(filter.kind), .int(limit))
        return try rows.first?.int(0) ?? 0
    }

    private static func numbers(_ rows: PostgresRows) throws(PostgresError) -> [Int64] {
        var numbers: [Int64] = []
        numbers.reserveCapacity(rows.count)
        for row in rows { numbers.append(try row.int64(0)) }
        return numbers
    }
}
