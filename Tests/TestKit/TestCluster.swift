import Glibc
public import Postgres
import Runtime

/// The private PostgreSQL server of the tests on this machine, shared by all their processes.
///
/// It lies under `/tmp/sineta-test-<uid>`, started by the first test process that needs it and
/// stopped and removed by the last one at its end. One that was left by a killed process is adopted
/// by the next. It does not sync to disk: nothing in it outlives a crash, or has to.
public actor TestCluster {
    public static let shared = TestCluster()

    static let home = "/tmp/sineta-test-\(geteuid())"
    private static let settings = [
        "fsync": "off", "full_page_writes": "off", "max_connections": "400",
        "shared_buffers": "64MB", "max_wal_size": "2GB", "autovacuum": "off",
        "idle_in_transaction_session_timeout": "60s",
    ]

    private var starting: Task<EmbeddedCluster, any Error>?

    /// The running cluster.
    public func cluster() async throws -> EmbeddedCluster {
        if let starting { return try await starting.value }
        let task = Task { try await Self.start() }
        starting = task
        return try await task.value
    }

    /// Where and as whom to connect; every role is let in.
    public func configuration(
        role: String, database: String
    ) async throws -> PostgresConfiguration {
        var configuration = try PostgresConfiguration(
            url: try await cluster().url(role: role, database: database))
        configuration.connectTimeout = TestDatabase.connectTimeout
        return configuration
    }

    func administrator() async throws -> DatabaseAdministrator {
        DatabaseAdministrator(try await configuration(role: "postgres", database: "postgres"))
    }

    /// While a process uses the cluster it holds a shared lock on `users`; who gets it alone knows
    /// that nobody else does.
    private static func start() async throws -> EmbeddedCluster {
        try Files.makeDirectory(home)
        let users = open(home + "/users", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard users >= 0 else { throw TestClusterError.lock }
        let isAlone = flock(users, LOCK_EX | LOCK_NB) == 0
        while !isAlone, flock(users, LOCK_SH | LOCK_NB) != 0 {
            try await Task.sleep(for: .milliseconds(20))
        }
        // The last one may have removed the file while this one waited for its lock.
        guard isSame(users, home + "/users") else {
            close(users)
            return try await start()
        }
        let cluster = try EmbeddedCluster(home: home, settings: settings, log: .silent)
        try await cluster.start(deadline: .after(.seconds(60)))
        if isAlone { try await removeLeftovers(cluster) }
        flock(users, LOCK_SH)
        Ending.arrange(users, cluster)
        return cluster
    }

    private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
        var opened = stat()
        var named = stat()
        return fstat(descriptor, &opened) == 0 && stat(path, &named) == 0
            && opened.st_ino == named.st_ino
    }

    /// Databases of tests that were killed.
    private static func removeLeftovers(_ cluster: EmbeddedCluster) async throws {
        let administrator = DatabaseAdministrator(
            try PostgresConfiguration(url: cluster.url(role: "postgres", database: "postgres")))
        let deadline = Deadline.after(.seconds(60))
        for name in try await administrator.names(deadline: deadline)
        where name.hasPrefix(TestDatabase.prefix) {
            try await administrator.drop(name, deadline: deadline)
        }
    }
}

enum TestClusterError: Error {
    case lock
}

/// What the last process does at its end.
private enum Ending {
    private static let state = Lock<(users: Int32, cluster: EmbeddedCluster)?>(nil)

    static func arrange(_ users: Int32, _ cluster: EmbeddedCluster) {
        state.withLock { $0 = (users, cluster) }
        atexit(endTestCluster)
    }

    static func run() {
        guard let (users, cluster) = state.withLock({ $0 }),
            flock(users, LOCK_EX | LOCK_NB) == 0
        else { return }
        do throws(ClusterError) {
            try cluster.stopNow(.immediate, deadline: .after(.seconds(20)))
            cluster.removeFolders()
            for file in ["users", "templates"] { Files.remove("\(TestCluster.home)/\(file)") }
            rmdir(TestCluster.home)
        } catch {
            Log(format: .text).warning("the test cluster is left behind", ["error": "\(error)"])
        }
    }
}

private func endTestCluster() { Ending.run() }
