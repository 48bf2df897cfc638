import Foundation
import Runtime
import TestKit

/// A `SINETA_HOME` of one test, and what is left of it on the machine.
struct TestHome: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "sineta-home-\(UInt64.random(in: 0 ... .max))"
        // PostgreSQL runs as a user of its own under root, and must get through.
        try Files.makeDirectory(path, mode: 0o755)
    }

    /// Free ports, and a log that only warns.
    var environment: [String: String] {
        [
            "SINETA_HOME": path, "PORT": "0", "METRICS_BIND": "127.0.0.1:0", "SIMULATOR_PORT": "0",
            "LOG_LEVEL": "warning", "LOG_FORMAT": "text",
            "LOCALIZATION_PATH": SourceTree.root + "/Localization",
        ]
    }

    /// Starts everything and waits until it is told so.
    func up() async throws -> SinetaProcess {
        let process = try SinetaProcess(
            ["up", "--simulator", "--seed", SourceTree.root + "/Seeds"], environment)
        _ = try await process.line(beginning: "Ctrl-C")
        return process
    }

    /// Runs one of the commands that the demo prints.
    func demo(_ name: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-euo", "pipefail", "\(path)/demo/\(name).sh"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw DemoFailed(name: name) }
        return String(decoding: bytes, as: UTF8.self)
    }

    struct DemoFailed: Error { let name: String }

    /// What still runs of this home: those that were started with it and those that work in it.
    func processes() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { name in
            guard let pid = Int32(name), pid != getpid() else { return nil }
            let words = text("/proc/\(pid)/cmdline")
            let environment = text("/proc/\(pid)/environ").split(separator: "\0")
            guard !words.isEmpty,
                words.contains(path) || environment.contains("SINETA_HOME=\(path)")
            else { return nil }
            return "\(pid) \(words.replacing("\0", with: " "))"
        }
    }

    /// Where it listens: TCP ports of its processes, and the folder of the database's Unix socket.
    func places() throws -> Places {
        var ports: Set<String> = []
        var folders: Set<String> = []
        let listening = Self.listeningPorts()
        for line in try processes() {
            guard let pid = line.split(separator: " ").first else { continue }
            let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")
            for file in files ?? [] {
                let target = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/\(pid)/fd/\(file)")
                if let target, let port = listening[target] { ports.insert("\(port) \(target)") }
            }
            for entry in text("/proc/\(pid)/environ").split(separator: "\0") {
                guard entry.hasPrefix("DATABASE_URL="), let host = entry.firstRange(of: "host=")
                else { continue }
                folders.insert(String(entry[host.upperBound...]))
            }
        }
        return Places(ports: ports, socketFolders: folders)
    }

    struct Places: Sendable, Equatable {
        /// In the hexadecimal form of /proc/net/tcp, each with its socket's number: a port that was
        /// let go may be somebody else's at once.
        let ports: Set<String>
        let socketFolders: Set<String>

        /// Those that are still there.
        func left() -> [String] {
            let open = Set(TestHome.listeningPorts().map { "\($0.value) \($0.key)" })
            let folders = socketFolders.filter { FileManager.default.fileExists(atPath: $0) }
            return ports.intersection(open).sorted() + folders.sorted()
        }
    }

    /// Makes a folder what PostgreSQL wants: closed to others, and under root of its own user.
    func giveToPostgreSQL(_ folder: String) throws {
        chmod("\(path)/\(folder)", 0o700)
        guard geteuid() == 0, let user = getpwnam("postgres") else { return }
        for file in ["", "/data", "/data/PG_VERSION"] {
            chown("\(path)/\(folder)\(file)", user.pointee.pw_uid, user.pointee.pw_gid)
        }
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Listening TCP sockets: their link in /proc/PID/fd, and their port.
    private static func listeningPorts() -> [String: String] {
        let files = ["/proc/net/tcp", "/proc/net/tcp6"]
        let lines = files.flatMap { text($0).split(separator: "\n").dropFirst() }
        var ports: [String: String] = [:]
        for line in lines {
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[3] == "0A" else { continue }
            ports["socket:[\(fields[9])]"] = String(fields[1])
        }
        return ports
    }
}

private func text(_ file: String) -> String {
    (try? Files.read(file)).map { String(decoding: $0, as: UTF8.self) } ?? ""
}
