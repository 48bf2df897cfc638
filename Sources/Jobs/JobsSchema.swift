public import Postgres

/// The tables of the queue, in numbers 0100 to 0199, and their changes.
///
/// Before them stands the product's first migration: the schema `sineta`, its roles, and the
/// functions that guard a table and make a door (`sineta.guard`, `sineta.door`).
public enum JobsSchema {
    public static let migrations: [Migration] = [
        Migration(100, "jobs", sql: JobsSchemaSQL.tables),
        Migration(101, "jobs functions", sql: JobsSchemaSQL.functions),
        Migration(102, "jobs authority", sql: JobsSchemaSQL.authority),
        Migration(103, "jobs intake", sql: JobsSchemaSQL.intake),
    ]

    /// Came after the product had tables of its own, so it takes a number behind theirs.
    public static let suspects = Migration(229, "jobs suspects", sql: JobsSchemaSQL.suspects)

    /// The same.
    public static let timing = Migration(232, "jobs timing", sql: JobsSchemaSQL.timing)
}
