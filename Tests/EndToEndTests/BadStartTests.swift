import Foundation
import Runtime
import TestKit
import Testing

@Suite("A start that cannot be", .timeLimit(.minutes(2))) struct BadStartTests {
    private func complaint(
        _ words: [String], _ changes: [String: String]
    ) async throws -> (code: Int32, text: String) {
        let home = try TestHome()
        defer { home.remove() }
        let process = try SinetaProcess(words, home.environment.merging(changes) { $1 })
        let code = await process.exitCode()
        #expect(try home.processes() == [])
        return (code, await process.errors().replacing(home.path, with: "HOME"))
    }

    @Test(
        "says in one line per variable what to do",
        arguments: [
            (["PORT": "http"], "sineta: PORT: must be a whole number from 0 to 65535\n"),
            (
                ["DATABASE_URL": "mysql://root@127.0.0.1/x"],
                "sineta: DATABASE_URL: is not a PostgreSQL URI, as postgres://user@host:5432/database\n"
            ),
            (
                ["APNS_KEY_P8": "x"],
                "sineta: APNS_KEY_P8: is set beside --simulator: unset it, or leave that out\n"
            ),
            (
                ["PORT": "-1", "BIND": "here"],
                """
                sineta: BIND: must be an IPv4 or IPv6 address, as 127.0.0.1 or ::1
                sineta: PORT: must be a whole number from 0 to 65535

                """
            ),
        ])
    func faultyEnvironment(changes: [String: String], text: String) async throws {
        let it = try await complaint(["up", "--simulator"], changes)
        #expect(it.text == text)
        #expect(it.code == 78)
    }

    @Test("names a port that is taken, before it starts anything")
    func takenPort() async throws {
        let taken = try ListeningSocket()
        let it = try await complaint(["up"], ["PORT": "\(taken.port)"])
        #expect(
            it.text == """
                sineta: PORT: 127.0.0.1:\(taken.port) is taken: end the process that has it \
                (ss -ltnp shows it), or set PORT to another; 0 takes a free one

                """)
        #expect(it.code == 1)
    }

    @Test("names the variable of an address that this machine does not have, whatever the port")
    func foreignAddress() async throws {
        let it = try await complaint(["up"], ["BIND": "192.0.2.1"])
        #expect(
            it.text == """
                sineta: BIND: this machine has no address 192.0.2.1: set BIND to one of its own, as \
                127.0.0.1

                """)
        #expect(it.code == 1)
    }

    @Test(
        "refuses a person or an owner with an address or a language that the API would refuse",
        arguments: [
            (["user", "create", "ana", "Ana"], "EMAIL must be an e-mail address"),
            (["user", "create", "ana@example", "Ana"], "EMAIL must be an e-mail address"),
            (
                ["user", "create", "ana@example.com", "Ana", "--locale", "pt BR"],
                "--locale must be a language tag"
            ),
            (["store", "create", "Loja", "@example.com"], "OWNER must be an e-mail address"),
        ])
    func faultyPerson(words: [String], text: String) async throws {
        let it = try await complaint(words, [:])
        #expect(it.text.hasPrefix("sineta: \(text), as "))
        #expect(it.code == 64)
    }

    @Test(
        "refuses a name of blanks, as the API does",
        arguments: [
            ["user", "create", "ana@example.com", " \u{2003}"],
            ["store", "create", "\u{200B}", "ana@example.com"],
            ["token", "create", "01990a00-0000-7000-8000-00000000a001", "\u{7}"],
        ])
    func blankName(words: [String]) async throws {
        let it = try await complaint(words, [:])
        #expect(it.text == "sineta: NAME must have a character that can be seen\n")
        #expect(it.code == 64)
    }

    @Test(
        "says what is wrong with a note",
        arguments: [
            (String(repeating: "x", count: 501), "--note must have 1 to 500 characters"),
            ("\u{200B}", "--note must have a character that can be seen"),
        ])
    func faultyNote(note: String, text: String) async throws {
        let it = try await complaint(["jobs", "discard", "--note", note], [:])
        #expect(it.text == "sineta: \(text)\n")
        #expect(it.code == 64)
    }

    @Test(
        "says where the database may be, when a home has a simulator and none",
        arguments: ["serve", "worker"])
    func noDatabase(command: String) async throws {
        let home = try TestHome()
        defer { home.remove() }
        try Files.makeDirectory("\(home.path)/simulator")
        try Files.write("".utf8, to: "\(home.path)/simulator/env", mode: 0o600)
        let process = try SinetaProcess([command, "--simulator"], home.environment)
        #expect(await process.exitCode() == 78)
        #expect(
            await process.errors() == """
                sineta: DATABASE_URL: is required, since no sineta up runs in \(home.path): start \
                one, or set it to postgresql://user:password@host/database

                """)
    }

    @Test("beside another database than its own a home's secret is not taken, nor even read")
    func foreignDatabase() async throws {
        let home = try TestHome()
        defer { home.remove() }
        try Files.makeDirectory("\(home.path)/simulator")
        try Files.write("".utf8, to: "\(home.path)/simulator/env", mode: 0o600)
        // Whoever reads this as a file fails.
        try Files.makeDirectory("\(home.path)/auth-secret")
        let free = try ListeningSocket().port
        let environment = home.environment.merging([
            "DATABASE_URL": "postgresql://sineta@127.0.0.1:\(free)/sineta"
        ]) { $1 }
        let api = try SinetaProcess(["serve", "--simulator"], environment)
        #expect(await api.exitCode() == 78)
        #expect(await api.errors().contains("sineta: AUTH_SECRET: is required: "))
        for words in [
            ["user", "reset", "ana@example.com"], ["store", "create", "Loja", "ana@example.com"],
            ["token", "create", "01990a00-0000-7000-8000-00000000a001", "shop"],
        ] {
            let process = try SinetaProcess(words, environment)
            #expect(await process.exitCode() == 78, "\(words)")
            #expect(
                await process.errors() == """
                    sineta: AUTH_SECRET: is required: set it to what `openssl rand -base64 32` \
                    prints, the same everywhere

                    """, "\(words)")
        }
        // They make no token, so no secret is asked of them; the database is tried for seconds.
        let others = try [
            ["worker", "--simulator"], ["user", "create", "ana@example.com", "Ana"],
            ["user", "operator", "ana@example.com"], ["user", "disable", "ana@example.com"],
        ].map { words in (words, try SinetaProcess(words, environment)) }
        for (words, process) in others {
            #expect(await process.exitCode() == 69, "\(words)")
            #expect(
                await process.errors().contains("sineta: DATABASE_URL: database unreachable: "),
                "\(words)")
        }
    }

    @Test("names a home that cannot be written")
    func unwritableHome() async throws {
        let folder = try TemporaryFolder("file")
        defer { folder.remove() }
        let file = try folder.write("", as: "file")
        let it = try await complaint(["up"], ["SINETA_HOME": "\(file)/home"])
        #expect(
            it.text == """
                sineta: cannot make folder \(file)/home: Not a directory; set SINETA_HOME to a \
                folder that you may write

                """)
        #expect(it.code == 78)
    }

    @Test(
        "names the database that does not answer", arguments: ["up", "worker", "serve", "migrate"])
    func unreachableDatabase(command: String) async throws {
        let free = try ListeningSocket().port
        let it = try await complaint(
            [command],
            [
                "DATABASE_URL": "postgresql://sineta:hunter2@127.0.0.1:\(free)/sineta",
                "AUTH_SECRET": String(repeating: "s", count: 32),
            ])
        #expect(it.text.hasPrefix("sineta: DATABASE_URL: database unreachable: "))
        #expect(it.text.split(separator: "\n").count == 1)
        #expect(!it.text.contains("hunter2"))
        #expect(it.code == 69)
    }

    @Test("names the PostgreSQL that is missing")
    func missingPostgreSQL() async throws {
        let home = try TestHome()
        defer { home.remove() }
        try Files.makeDirectory("\(home.path)/postgres/data")
        try Files.write("9.6\n".utf8, to: "\(home.path)/postgres/data/PG_VERSION")
        try home.giveToPostgreSQL("postgres")
        let process = try SinetaProcess(["up"], home.environment)
        #expect(await process.exitCode() == 1)
        #expect(
            await process.errors()
                == "sineta: PostgreSQL 9.6 is not installed, and the data was made with it: "
                + "apt-get install postgresql-9.6\n")
    }

    @Test("tells of a malformed key without showing it, and only that provider is off")
    func malformedKey() async throws {
        let it = try await complaint(
            ["doctor"],
            ["APNS_KEY_P8": "hunter2", "APNS_KEY_ID": "KEY1234567", "APNS_TEAM_ID": "TEAM123456"])
        #expect(it.code == 1)
        #expect(!it.text.contains("hunter2"))
    }
}

/// A TCP port of loopback that somebody has.
private final class ListeningSocket: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        // Else a home that another test starts meanwhile would inherit it and seem to listen there.
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 1) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard result else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}
