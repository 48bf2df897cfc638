public import Postgres

/// The tables of the queue, in numbers 0100 to 0199.
///
/// The schema `sineta` and the roles `sineta_api`, `sineta_worker`, `sineta_operator` and
/// `sineta_door` must exist, and the owner must be a member of `sineta_worker` and `sineta_door`.
public enum JobsSchema {
    public static let migrations: [Migration] = [
        Migration(100, "jobs", sql: JobsSchemaSQL.tables),
        Migration(101, "jobs functions", sql: JobsSchemaSQL.functions),
        Migration(102, "jobs authority", sql: JobsSchemaSQL.authority),
        Migration(103, "jobs intake", sql: JobsSchemaSQL.intake),
    ]
}
