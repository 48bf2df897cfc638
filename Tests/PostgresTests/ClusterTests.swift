import Foundation
import Runtime
import TestKit
import Testing

@testable import Postgres

/// Each starts a server of its own, so they take seconds and run one after another.
@Suite(.serialized) struct ClusterTests {
    private let home = "/tmp/sineta-cluster-\(Foundation.UUID().uuidString.lowercased())"

    private func withCluster(_ body: (EmbeddedCluster) async throws -> Void) async throws {
        let cluster = try EmbeddedCluster(home: home, settings: ["fsync": "off"], log: .silent)
        do {
            try await body(cluster)
        } catch {
            try await cluster.stop(.immediate, deadline: .generous)
            cluster.removeFolders()
            throw error
        }
        try await cluster.stop(.immediate, deadline: .generous)
        cluster.removeFolders()
        rmdir(home)
    }

    /// The processes whose folder that is.
    private func workers(in folder: String) -> [String] {
        let files = FileManager.default
        let processes = (try? files.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.filter {
            (try? files.destinationOfSymbolicLink(atPath: "/proc/\($0)/cwd")) == folder
        }
    }

    private func ask(_ url: String) async throws -> PostgresRow {
        let pool = PostgresPool(try PostgresConfiguration(url: url), size: 1, log: .silent)
        let rows = try await pool.query(
            """
            SELECT current_user::text, rolsuper, rolcreaterole,
                   current_setting('listen_addresses')
            FROM pg_roles WHERE rolname = current_user
            """, deadline: .generous)
        await pool.close()
        return try #require(rows.first)
    }

    @Test("it starts from nothing, is adopted while it runs, and stops")
    func lifecycle() async throws {
        try await withCluster { cluster in
            #expect(try await cluster.start(deadline: .generous) == false)
            let owner = try await ask(cluster.ownerURL)
            #expect(try owner.text(0) == "sineta_owner")
            #expect(try owner.bool(1) == false)
            #expect(try owner.bool(2) == true)
            #expect(try owner.text(3) == "")
            let application = try await ask(cluster.applicationURL)
            #expect(try application.text(0) == "sineta_app")
            #expect(try application.bool(2) == false)

            let process = try #require(cluster.processID)
            // Its own session: what ends ours does not reach it.
            #expect(getsid(process) != getsid(0))
            let other = try EmbeddedCluster(home: home, log: .silent)
            #expect(try await other.start(deadline: .generous) == true)
            #expect(other.processID == process)

            try await other.stop(deadline: .generous)
            #expect(cluster.processID == nil)
            #expect(!Files.exists(home + "/postgres/data/postmaster.pid"))
            #expect(try await cluster.start(deadline: .generous) == false)
            #expect(try await ask(cluster.applicationURL).text(0) == "sineta_app")
        }
    }

    @Test("a crashed server's lock file, whose number is somebody else's now, is no hindrance")
    func staleLock() async throws {
        try await withCluster { cluster in
            try await cluster.start(deadline: .generous)
            let process = try #require(cluster.processID)
            kill(process, SIGKILL)
            // The others of its processes end a moment later, and hold the shared memory until then.
            #expect(try await eventually { workers(in: home + "/postgres/data").isEmpty })
            let file = home + "/postgres/data/postmaster.pid"
            let lines = try Files.readText(file).split(separator: "\n").dropFirst()
            let text = ([String(getpid())] + lines.map(String.init)).joined(separator: "\n")
            try Files.write(Array(text.utf8), to: file, mode: 0o644)
            #expect(cluster.processID == nil)
            #expect(try await cluster.start(deadline: .generous) == false)
            #expect(try await ask(cluster.ownerURL).text(0) == "sineta_owner")
        }
    }

    @Test("only its user and root can reach it")
    func isPrivate() async throws {
        try await withCluster { cluster in
            try await cluster.start(deadline: .generous)
            #expect(cluster.socketPath.utf8.count < 100)
            let folder = String(cluster.socketPath.dropLast("/.s.PGSQL.5432".count))
            for path in [folder, home + "/postgres"] {
                var status = stat()
                #expect(lstat(path, &status) == 0)
                #expect(status.st_mode & 0o777 == 0o700)
            }
        }
    }

    @Test("a socket folder that others can enter is refused")
    func foreignFolder() async throws {
        let cluster = try EmbeddedCluster(home: home, log: .silent)
        let folder = String(cluster.socketPath.dropLast("/.s.PGSQL.5432".count))
        mkdir(folder, 0o777)
        chmod(folder, 0o777)
        await #expect {
            try await cluster.start(deadline: .generous)
        } throws: {
            "\($0)".contains("open to others")
        }
        cluster.removeFolders()
        rmdir(home)
    }

    @Test("the socket's folder goes with the server and comes with it")
    func socketFolder() async throws {
        try await withCluster { cluster in
            let folder = String(cluster.socketPath.dropLast("/.s.PGSQL.5432".count))
            for _ in 1...2 {
                try await cluster.start(deadline: .generous)
                #expect(Files.exists(folder))
                try await cluster.stop(deadline: .generous)
                #expect(!Files.exists(folder))
            }
        }
    }

    @Test("what is missing is said in one line that tells what to do")
    func missing() {
        #expect {
            try ClusterBinaries(version: nil, root: "/nowhere", searchPath: "/nowhere/either")
        } throws: {
            "\($0)".contains("apt-get install postgresql")
        }
        #expect(throws: ClusterError.binariesMissing(version: "9")) {
            try ClusterBinaries(version: "9")
        }
        #expect {
            try EmbeddedCluster(home: "/proc/nothing/here", log: .silent)
        } throws: {
            "\($0)".contains("SINETA_HOME")
        }
    }
}
