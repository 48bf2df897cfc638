import Alerts
import Foundation
import Postgres
import Runtime
import Simulator
import Storage
import TestKit
import Testing

@testable import sineta

@Suite("sineta doctor", .timeLimit(.minutes(3))) struct DoctorTests {
    /// The doctor's lines beside a database and a simulator.
    private static func visit(
        _ rules: [ScriptRule] = [], hasCredentials: Bool = true, changes: [String: String] = [:],
        script: String = "select 1",
        after: @Sendable (PostgresPool) async throws -> Void = { _ in }
    ) async throws -> (code: Int32, lines: [String]) {
        let folder = try TemporaryFolder("doctor")
        defer { folder.remove() }
        let simulator = Simulator(.anywhere, credentials: try .make())
        let ports = try simulator.start()
        for rule in rules { simulator.script.add(rule) }
        let home = try simulator.makeHome(folder.path)
        var environment = Dictionary(
            uniqueKeysWithValues: home.variables(
                simulator.credentials, ports: ports, host: "127.0.0.1"
            ).map { ($0.name, $0.value) })
        if !hasCredentials { environment = [:] }
        let result = try await withTestDatabase(
            Schema.migrations, key: "doctor",
            prepare: { database in
                try await database.run(
                    "select sineta.admit('\(TestDatabase.Role.application.name)')", as: .owner)
            }
        ) { database in
            try await database.run(script)
            environment["DATABASE_URL"] = database.url()
            environment["LOCALIZATION_PATH"] = SourceTree.path("Localization")
            let process = try SinetaProcess(["doctor"], environment.merging(changes) { $1 })
            let code = await process.exitCode()
            let pool = try database.pool(.superuser, size: 1)
            try await after(pool)
            await pool.close()
            return (code, await process.output().split(separator: "\n").map(String.init))
        }
        await simulator.stop()
        return result
    }

    @Test("finds everything well, and rings no phone")
    func well() async throws {
        let (code, lines) = try await Self.visit()
        #expect(code == 0)
        #expect(
            lines == [
                "well   texts: en, pt", "well   database: reachable, its schema is this version's",
                "well   apns production: the credentials are accepted",
                "well   apns sandbox: the credentials are accepted",
                "well   fcm: the credentials are accepted",
            ])
    }

    @Test(
        "says for a refused credential what to do, and exits with 1",
        arguments: [
            (403, "InvalidProviderToken"), (403, "ExpiredProviderToken"), (400, "TopicDisallowed"),
            (403, "BadEnvironmentKeyInToken"),
        ])
    func refused(status: Int, reason: String) async throws {
        let rule = ScriptRule(environment: "sandbox", status: status, reason: reason)
        let (code, lines) = try await Self.visit([rule])
        #expect(code == 1)
        let advice = ProviderAdvice.words(for: reason) ?? ""
        #expect(lines.contains("FAULT  apns sandbox: \(status) \(reason): \(advice)"))
        #expect(lines.contains("well   apns production: the credentials are accepted"))
    }

    @Test("names a key that cannot be read by its variable, and never shows it")
    func unreadable() async throws {
        let (code, lines) = try await Self.visit(changes: ["APNS_KEY_P8": "not a key at all"])
        #expect(code == 1)
        let line = try #require(lines.first { $0.hasPrefix("FAULT  apns: ") })
        #expect(line.contains("APNS_KEY_P8") && !line.contains("not a key at all"))
    }

    @Test("says without any credentials where to find some, and is well")
    func silent() async throws {
        let home = try TestHome()
        defer { home.remove() }
        let file = "\(home.path)/simulator/env"
        let lookUp =
            "note   no push credentials are set: sineta help environment lists APNS_… and FCM_…; "
            + "sineta doctor --simulator takes those of the home's simulator, which "
        for end in ["sineta up --simulator writes into \(file)", "stand in \(file)"] {
            let (code, lines) = try await Self.visit(
                hasCredentials: false, changes: ["SINETA_HOME": home.path])
            #expect(code == 0)
            #expect(lines.first == lookUp + end)
            #expect(lines.suffix(2).allSatisfy { $0.contains("not set") })
            try Files.makeDirectory("\(home.path)/simulator")
            try Files.write("".utf8, to: file, mode: 0o600)
        }
    }

    private static func closed(_ state: String, _ reason: String) -> String {
        """
        insert into sineta.lane_states
            (credential, environment, state, since, reason, next_probe_at)
        values ('apns', 'production', '\(state)', '2026-01-02 03:04:05Z', '\(reason)',
            now() + interval '10 minutes')
        """
    }

    private static func line(_ state: String, _ reason: String, isWell: Bool = false) -> String {
        "\(isWell ? "well " : "FAULT")  lanes of apns.production: "
            + "\(state) since 2026-01-02T03:04:05Z, \(reason): "
    }

    private static func asked(_ pool: PostgresPool) async throws -> Int {
        try await pool.query(
            "select count(*) from sineta.lane_states where next_probe_at <= now()",
            deadline: .after(.seconds(30))
        ).first?.int(0) ?? 0
    }

    @Test("tells which lanes the workers have closed, and leaves those of refused credentials")
    func closed() async throws {
        let rule = ScriptRule(
            environment: "production", status: 400, reason: "TopicDisallowed")
        let (code, lines) = try await Self.visit(
            [rule], script: Self.closed("paused", "TopicDisallowed")
        ) { pool in
            let asked = try await Self.asked(pool)
            #expect(asked == 0)
        }
        #expect(code == 1)
        let advice = ProviderAdvice.words(for: "TopicDisallowed") ?? ""
        #expect(lines.contains(Self.line("paused", "TopicDisallowed") + advice))
    }

    @Test("has paused lanes probed at once whose credentials are accepted now, and says so")
    func resumes() async throws {
        let (code, lines) = try await Self.visit(
            script: Self.closed("paused", "InvalidProviderToken")
        ) { pool in
            let asked = try await Self.asked(pool)
            #expect(asked == 1)
        }
        #expect(code == 1)
        let line = try #require(lines.first { $0.contains("lanes of") })
        #expect(line.hasPrefix(Self.line("paused", "InvalidProviderToken")))
        #expect(line.hasSuffix(Doctor.resumes))
    }

    @Test("lanes that are off are a fault only where their credentials are set")
    func off() async throws {
        let script = Self.closed("off", "not_configured")
        let here = try await Self.visit(script: script)
        #expect(here.code == 1)
        #expect(here.lines.contains(Self.line("off", "not_configured") + Doctor.offHere))
        let elsewhere = try await Self.visit(hasCredentials: false, script: script)
        #expect(elsewhere.code == 0)
        let advice = try #require(ProviderAdvice.words(for: "not_configured"))
        #expect(
            elsewhere.lines.contains(Self.line("off", "not_configured", isWell: true) + advice))
    }
}
