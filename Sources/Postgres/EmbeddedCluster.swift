import Glibc
public import Runtime

/// A private PostgreSQL server under a home folder, for a machine where nobody made one.
///
/// It listens on a Unix socket in a folder that only its user and root can enter, and lets in who
/// gets there; nothing listens on the network. Its superuser is `postgres`; the product's tables
/// belong to `sineta_owner`, which may make roles, and the product logs in as `sineta_app`. It
/// outlives the process that started it: the next start adopts it.
public final class EmbeddedCluster: Sendable {
    /// How `stop` treats those connected (`pg_ctl stop -m`).
    public enum StopMode: String, Sendable {
        /// Waits for all to leave.
        case smart
        /// Ends their transactions.
        case fast
        /// Ends at once; the next start recovers.
        case immediate
    }

    /// Who owns the product's tables; it may make roles.
    public static let ownerRole = "sineta_owner"
    /// As whom the product logs in; made with no right but that.
    public static let applicationRole = "sineta_app"
    /// The database that is made for the product; `ownerRole` owns it.
    public static let database = "sineta"

    private let paths: ClusterPaths
    private let settings: [String: String]
    private let searchPath: String?
    private let syncsInit: Bool
    private let log: Log

    /// Makes the home's folder and finds the user to run as; starts nothing.
    ///
    /// - Parameters:
    ///   - settings: server settings beside the cluster's own, taken at each start.
    ///   - searchPath: the PATH to look for PostgreSQL on when Debian's folders have none.
    public init(
        home: String, settings: [String: String] = [:], searchPath: String? = nil, log: Log
    ) throws(ClusterError) {
        paths = try ClusterPaths(home: home)
        self.settings = settings
        self.searchPath = searchPath
        syncsInit = settings["fsync"] != "off"
        self.log = log
    }

    /// The URL for `role`, which nothing but the socket's folder guards.
    public func url(role: String, database: String) -> String {
        "postgresql://\(role)@/\(database)?host=\(paths.sockets)"
    }

    /// For migrations.
    public var ownerURL: String { url(role: Self.ownerRole, database: Self.database) }
    /// For everything but migrations.
    public var applicationURL: String { url(role: Self.applicationRole, database: Self.database) }

    /// The socket's path.
    public var socketPath: String { paths.socket }

    /// Where the server writes what it has to say.
    public var logPath: String { paths.log }

    /// The process id of the running server, if there is one.
    public var processID: Int32? { runningServer() }

    /// Starts the server, making its data the first time, or adopts the one that runs.
    ///
    /// - Returns: whether a running one was adopted.
    @discardableResult
    public func start(deadline: Deadline) async throws(ClusterError) -> Bool {
        try await OwnThread.run("pg-cluster") { [self] () throws(ClusterError) in
            try alone(deadline) { () throws(ClusterError) in try startAlone(deadline) }
        }
    }

    /// Stops the server, waits for its end and removes its socket's folder. One that does not run
    /// is stopped already.
    public func stop(_ mode: StopMode = .fast, deadline: Deadline) async throws(ClusterError) {
        try await OwnThread.run("pg-cluster") { [self] () throws(ClusterError) in
            try stopNow(mode, deadline: deadline)
        }
    }

    /// The same on the calling thread, which waits.
    public func stopNow(_ mode: StopMode = .fast, deadline: Deadline) throws(ClusterError) {
        try alone(deadline) { () throws(ClusterError) in try stopAlone(mode, deadline) }
    }

    /// Removes the data and the socket's folder of a server that is stopped: for tests.
    public func removeFolders() {
        let command = Command(path: "/bin/rm", arguments: ["-rf", paths.folder, paths.sockets])
        _ = command.run(deadline: .after(.seconds(60)))
    }

    // MARK: - Start

    private func startAlone(_ deadline: Deadline) throws(ClusterError) -> Bool {
        if runningServer() != nil, !Files.exists(paths.socket) {
            // Somebody cleaned /tmp: a server that nobody can reach is no use.
            try stopAlone(.fast, deadline)
        }
        let isAdopted = runningServer() != nil
        if !isAdopted {
            let binaries = try binaries()
            try paths.makeSocketFolder()
            if !Files.exists(paths.data) { try initialise(binaries, deadline) }
            removeStaleLocks()
            try writeSettings()
            try launch(binaries, deadline)
        }
        try makeRoles(deadline)
        log.info(
            isAdopted ? "embedded PostgreSQL adopted" : "embedded PostgreSQL started",
            ["data": .text(paths.data)])
        return isAdopted
    }

    private func binaries() throws(ClusterError) -> ClusterBinaries {
        try ClusterBinaries(version: dataVersion, searchPath: searchPath)
    }

    /// The major version that made the data; nil for new data.
    private var dataVersion: String? {
        do throws(FileFault) {
            let text = try Files.readText(paths.data + "/PG_VERSION")
            return text.split(separator: "\n").first.map(String.init)
        } catch {
            return nil
        }
    }

    /// Makes the data beside its place and renames it, so that an interrupted attempt leaves none.
    private func initialise(
        _ binaries: ClusterBinaries, _ deadline: Deadline
    ) throws(ClusterError) {
        let fresh = paths.data + ".new"
        try run("/bin/rm", ["-rf", fresh], deadline)
        var arguments = [
            "-D", fresh, "-U", "postgres", "--auth-local=trust", "--auth-host=reject",
            "--encoding=UTF8", "--locale=C.UTF-8", "--data-checksums", "--no-instructions",
        ]
        if !syncsInit { arguments.append("--no-sync") }
        try run("\(binaries.folder)/initdb", arguments, deadline)
        do throws(FileFault) {
            try append("\ninclude_if_exists = 'sineta.conf'\n", to: fresh + "/postgresql.conf")
        } catch {
            throw .folder("\(error)")
        }
        guard rename(fresh, paths.data) == 0 else {
            throw .folder("cannot rename \(fresh): check its file system")
        }
    }

    private func append(_ text: String, to path: String) throws(FileFault) {
        let bytes = try Files.read(path)
        try Files.write(bytes + Array(text.utf8), to: path, mode: 0o644)
    }

    private func writeSettings() throws(ClusterError) {
        var all = [
            "listen_addresses": "", "unix_socket_directories": paths.sockets,
            "unix_socket_permissions": "0700", "port": "5432", "log_destination": "stderr",
            "logging_collector": "off",
        ]
        all.merge(settings) { _, given in given }
        let lines = all.sorted { $0.key < $1.key }.map { key, value in
            "\(key) = '\(value.split(separator: "'").joined(separator: "''"))'\n"
        }
        do throws(FileFault) {
            try Files.write(Array(lines.joined().utf8), to: paths.settings, mode: 0o644)
        } catch {
            throw .folder("\(error)")
        }
    }

    /// pg_ctl gives the server a session of its own, so that no terminal's signal reaches it.
    private func launch(
        _ binaries: ClusterBinaries, _ deadline: Deadline
    ) throws(ClusterError) {
        let seconds = max(1, deadline.remaining.components.seconds)
        try run(
            "\(binaries.folder)/pg_ctl",
            ["-D", paths.data, "-l", paths.log, "-w", "-t", "\(seconds)", "start"], deadline)
    }

    private func makeRoles(_ deadline: Deadline) throws(ClusterError) {
        do throws(PostgresError) {
            try ClusterRoles.make(url(role: "postgres", database: "postgres"), deadline)
        } catch {
            throw .notReady(error, log: paths.log)
        }
    }

    // MARK: - Stop

    private func stopAlone(_ mode: StopMode, _ deadline: Deadline) throws(ClusterError) {
        defer { if runningServer() == nil { paths.removeSocketFolder() } }
        guard let process = runningServer() else { return }
        let seconds = max(1, deadline.remaining.components.seconds)
        try run(
            "\(try binaries().folder)/pg_ctl",
            ["-D", paths.data, "-m", mode.rawValue, "-w", "-t", "\(seconds)", "stop"], deadline)
        // pg_ctl is content when the lock file is gone, which is a moment before the process ends.
        while serves(process), !deadline.hasPassed { Pause.sleep(.milliseconds(5)) }
    }

    // MARK: - Who runs

    /// The server that postmaster.pid names, if that process is one and serves this data. A number
    /// alone says nothing: after a crash or in a new container it may be anybody's.
    private func runningServer() -> Int32? {
        processNumber(in: paths.pidFile).flatMap { serves($0) ? $0 : nil }
    }

    private func serves(_ process: Int32) -> Bool {
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/\(process)/cwd", &buffer, buffer.count - 1)
        guard length > 0 else { return false }
        return buffer[..<length].map { UInt8(bitPattern: $0) }.elementsEqual(paths.data.utf8)
    }

    private func removeStaleLocks() {
        for file in [paths.pidFile, paths.socket + ".lock", paths.socket] { Files.remove(file) }
    }

    private func processNumber(in file: String) -> Int32? {
        do throws(FileFault) {
            return try Files.readText(file).split(separator: "\n").first.flatMap { Int32($0) }
        } catch {
            return nil
        }
    }

    // MARK: - Doing

    private func run(
        _ program: String, _ arguments: [String], _ deadline: Deadline
    ) throws(ClusterError) {
        let name = program.split(separator: "/").last.map(String.init) ?? program
        let command =
            if let user = paths.user {
                Command(
                    path: "/sbin/runuser", arguments: ["-u", user.name, "--", program] + arguments)
            } else {
                Command(path: program, arguments: arguments)
            }
        guard let outcome = command.run(deadline: deadline) else {
            throw .commandFailed(program: name, words: "cannot be started", log: paths.log)
        }
        guard outcome.status == 0 else {
            throw .commandFailed(program: name, words: outcome.lastLine, log: paths.log)
        }
    }

    /// Holds the cluster's lock, so that two processes do not start it twice.
    private func alone<Value>(
        _ deadline: Deadline, _ body: () throws(ClusterError) -> Value
    ) throws(ClusterError) -> Value {
        let descriptor = open(paths.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .folder("cannot write \(paths.lock)") }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if deadline.hasPassed { throw .busy }
            Pause.sleep(.milliseconds(20))
        }
        return try body()
    }
}
