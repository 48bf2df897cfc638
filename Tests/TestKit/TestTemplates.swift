import Glibc
import Postgres
import Runtime
import Values

/// The migrated databases that tests are cloned from, one for each set of migrations.
actor TestTemplates {
    static let shared = TestTemplates()
    private static let prefix = "template_of_tests_"

    private var templates: [String: Task<String, any Error>] = [:]

    /// The template's name; it is built by the first process that asks.
    func template(
        _ migrations: [Migration], key: String,
        prepare: @escaping @Sendable (TestDatabase) async throws -> Void
    ) async throws -> String {
        let name = Self.name(migrations, key)
        if let known = templates[name] { return try await known.value }
        let task = Task {
            try await Self.alone { try await Self.build(name, migrations, prepare) }
            return name
        }
        templates[name] = task
        return try await task.value
    }

    private static func name(_ migrations: [Migration], _ key: String) -> String {
        var checksum = Checksum()
        for migration in migrations {
            checksum.add("\(migration.number) \(migration.name)")
            checksum.add(migration.sql)
        }
        checksum.add(key)
        return prefix + String(checksum.value, radix: 16)
    }

    private static func build(
        _ name: String, _ migrations: [Migration],
        _ prepare: @Sendable (TestDatabase) async throws -> Void
    ) async throws {
        let administrator = try await TestCluster.shared.administrator()
        let deadline = Deadline.after(.seconds(120))
        if try await administrator.names(deadline: deadline).contains(name) { return }
        // It gets its name when it is whole: one that a killed process left half built is not used.
        let cluster = try await TestCluster.shared.cluster()
        let database = TestDatabase(name: name + "_new", cluster: cluster)
        try await administrator.drop(database.name, deadline: deadline)
        try await administrator.create(
            database.name, owner: TestDatabase.Role.owner.name, deadline: deadline)
        let owner = try database.configuration(.owner)
        if !migrations.isEmpty {
            try await Migrator(migrations, configuration: owner, log: .silent)
                .migrate(deadline: deadline)
        }
        try await prepare(database)
        try await administrator.rename(database.name, to: name, deadline: deadline)
    }

    /// Roles belong to the whole cluster, so two templates are not built at once, in whatever
    /// process.
    private static func alone(_ body: () async throws -> Void) async throws {
        _ = try await TestCluster.shared.cluster()
        let lock = open(TestCluster.home + "/templates", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw TestClusterError.lock }
        defer { close(lock) }
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            try await Task.sleep(for: .milliseconds(20))
        }
        try await body()
    }
}
