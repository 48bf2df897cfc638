public import Runtime
import Values

/// Brings a database's schema forward, one migration and one transaction at a time.
///
/// Any number of processes may do so at once: each step takes an advisory lock for its transaction,
/// and looks again at what is there. Applied migrations are kept in `public.schema_migrations`,
/// which every role may read.
public struct Migrator: Sendable {
    private let migrations: [Migration]
    private let configuration: PostgresConfiguration
    private let lockTimeout: Duration
    private let log: Log

    /// - Parameters:
    ///   - configuration: connects as the role that owns the schema.
    ///   - lockTimeout: what a migration may wait for a table's lock. Those behind it in the lock's
    ///     queue wait as long, so a busy table is left alone and the migration fails.
    public init(
        _ migrations: [Migration], configuration: PostgresConfiguration,
        lockTimeout: Duration = .seconds(10), log: Log
    ) {
        self.migrations = migrations
        var configuration = configuration
        // A migration may take long; the caller's deadline alone bounds it.
        configuration.statementTimeout = .seconds(86_400)
        self.configuration = configuration
        self.lockTimeout = lockTimeout
        self.log = log
    }

    /// Compares the database with the list. Any role that may log in can ask.
    public func state(deadline: Deadline) async throws(MigrationError) -> MigrationState {
        try await OwnThread.run("pg-migrate") { () throws(MigrationError) in
            let connection = try open(deadline)
            return try MigrationState(migrations, applied: try applied(connection, deadline))
        }
    }

    /// Applies what is pending, then has the planner's statistics gathered.
    ///
    /// - Parameter ahead: is told how many are pending, before each is applied and at last with 0.
    ///   Others' steps make the number smaller too.
    /// - Returns: the migrations that this call applied.
    @discardableResult
    public func migrate(
        deadline: Deadline, ahead: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws(MigrationError) -> [Migration] {
        try await OwnThread.run("pg-migrate") { () throws(MigrationError) in
            let connection = try open(deadline)
            var done: [Migration] = []
            while let migration = try step(connection, deadline, ahead) {
                done.append(migration)
                log.info(
                    "migration applied",
                    ["number": .count(migration.number), "name": .text(migration.name)])
            }
            if !done.isEmpty { try analyze(connection, deadline) }
            return done
        }
    }

    private func open(_ deadline: Deadline) throws(MigrationError) -> Connection {
        do throws(PostgresError) {
            return try Connection.open(configuration, deadline: deadline)
        } catch {
            throw .database(error)
        }
    }

    /// Applies the first pending migration, if there is one.
    private func step(
        _ connection: Connection, _ deadline: Deadline, _ ahead: (Int) -> Void
    ) throws(MigrationError) -> Migration? {
        do {
            return try connection.transaction(deadline: deadline, preamble: [Self.lock]) { _ in
                try prepare(connection, deadline)
                let state = try MigrationState(
                    migrations, applied: try applied(connection, deadline))
                ahead(state.pending.count)
                guard let next = state.pending.first else { return nil }
                try apply(next, connection, deadline)
                return next
            }
        } catch let error as MigrationError {
            throw error
        } catch let error as PostgresError {
            throw .database(error)
        } catch {
            throw .database(.decoding("\(error)"))
        }
    }

    /// "sineta" in ASCII: a number that nobody else in the database takes by chance.
    private static let lock = PostgresQuery("SELECT pg_advisory_xact_lock(126939420979297)")

    private func prepare(
        _ connection: Connection, _ deadline: Deadline
    ) throws(PostgresError) {
        let found = try connection.query(
            PostgresQuery("SELECT to_regclass('public.schema_migrations') IS NOT NULL"),
            deadline: deadline)
        if try found.first?.bool(0) == true { return }
        try connection.runScript(
            """
            CREATE TABLE public.schema_migrations (
                number integer PRIMARY KEY, name text NOT NULL, checksum bigint NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now());
            GRANT SELECT ON public.schema_migrations TO PUBLIC;
            """, deadline: deadline)
    }

    private func applied(
        _ connection: Connection, _ deadline: Deadline
    ) throws(MigrationError) -> [AppliedMigration] {
        do throws(PostgresError) {
            let found = try connection.query(
                PostgresQuery("SELECT to_regclass('public.schema_migrations') IS NOT NULL"),
                deadline: deadline)
            guard try found.first?.bool(0) == true else { return [] }
            let rows = try connection.query(
                PostgresQuery(
                    "SELECT number, name, checksum FROM public.schema_migrations ORDER BY number"),
                deadline: deadline)
            var applied: [AppliedMigration] = []
            for row in rows {
                applied.append(
                    AppliedMigration(
                        number: try row.int(0), name: try row.text(1), checksum: try row.int64(2)))
            }
            return applied
        } catch {
            throw .database(error)
        }
    }

    private func apply(
        _ migration: Migration, _ connection: Connection, _ deadline: Deadline
    ) throws(MigrationError) {
        do throws(PostgresError) {
            _ = try connection.query(
                PostgresQuery(
                    "SELECT set_config('lock_timeout', $1, true)",
                    .text("\(lockTimeout.milliseconds)ms")),
                deadline: deadline)
            try connection.runScript(migration.sql, deadline: deadline)
        } catch {
            throw .failed(number: migration.number, name: migration.name, error)
        }
        guard connection.isInTransaction else {
            throw .leftTransaction(number: migration.number, name: migration.name)
        }
        do throws(PostgresError) {
            _ = try connection.query(
                PostgresQuery(
                    """
                    INSERT INTO public.schema_migrations (number, name, checksum)
                    VALUES ($1, $2, $3)
                    """,
                    .int32(Int32(migration.number)), .text(migration.name),
                    .int64(migration.checksum)),
                deadline: deadline)
        } catch {
            throw .database(error)
        }
    }

    private func analyze(
        _ connection: Connection, _ deadline: Deadline
    ) throws(MigrationError) {
        do throws(PostgresError) {
            try connection.runScript("ANALYZE", deadline: deadline)
        } catch {
            throw .database(error)
        }
    }
}
