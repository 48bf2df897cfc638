import Foundation
import Jobs
import Postgres
import Runtime
import Storage
import TestKit
import Testing
import Values

@testable import sineta

@Suite("sineta jobs") struct JobsCommandTests {
    /// A database with three dead letters: one that would be sent again, one past its time, one
    /// that its device took.
    private static func run(
        _ body: (TestDatabase, [String: String]) async throws -> Void
    ) async throws {
        try await withTestDatabase(
            Schema.migrations, key: "jobs-command",
            prepare: { database in
                try await database.run(
                    "select sineta.admit('\(TestDatabase.Role.application.name)')", as: .owner)
            }
        ) { database in
            try await database.run(
                """
                insert into sineta.jobs_dead (id, store_id, subject, target, member, kind, lane,
                  reason, attempts, tries, expires_at)
                select gen_random_uuid(), '01900000-0000-7000-8000-000000000001',
                  gen_random_uuid(), gen_random_uuid(), gen_random_uuid(),
                  case when n = 1 then 'alerts.decide' else 'push.deliver' end, 10, 'BadTopic', 1,
                  '[{"at":"2026-01-02T03:04:05Z","status":400,"reason":"BadTopic"}]',
                  now() + case when n = 2 then -1 else 3600 end * interval '1 s'
                from generate_series(1, 3) n;
                insert into sineta.deliveries (day, store_id, alert_id, device_id, id, user_id,
                  raised_at, attempts, outcome)
                select (raised_at at time zone 'UTC')::date, store_id, subject, target, id, member,
                  raised_at, 1, 'accepted' from sineta.jobs_dead where dead_id = 3
                """)
            try await body(database, ["DATABASE_URL": database.url(), "LOG_LEVEL": "error"])
        }
    }

    /// What it prints, and nothing on standard error: no bar where nobody looks on.
    private static func sineta(
        _ words: [String], _ environment: [String: String]
    ) async throws -> String {
        let process = try SinetaProcess(words, environment)
        let code = await process.exitCode()
        let text = await process.output()
        #expect(code == 0)
        #expect(await process.errors() == "", "\(words)")
        return text
    }

    private static func count(_ database: TestDatabase, _ sql: StaticSQL) async throws -> Int {
        try await database.pool(.superuser, size: 1).query(sql, deadline: .after(.seconds(20)))[0]
            .int(0)
    }

    @Test("counts the dead by reason with what to do, and lists them with what a retry finds")
    func dead() async throws {
        try await Self.run { _, environment in
            let counts = try await Self.sineta(["jobs", "dead"], environment)
            #expect(counts.contains("2      push.deliver   BadTopic  APNS_TOPIC is no valid topic"))
            let lines = try await Self.sineta(
                ["jobs", "dead", "--reason", "BadTopic"], environment
            ).split(separator: "\n").dropFirst().map { $0.split(separator: " ").last }
            #expect(lines == ["accepted", "stale", "live"])
            let stats = try await Self.sineta(["jobs", "stats"], environment)
            #expect(stats.contains("push.deliver/apns.production/urgent"))
        }
    }

    @Test("retries what was never accepted, tells it before in a dry run, and leaves its trace")
    func retry() async throws {
        try await Self.run { database, environment in
            let found = "3 found: 1 live, 1 stale, 0 without device, 1 accepted; "
            let words = ["jobs", "retry", "--reason", "BadTopic"]
            #expect(
                try await Self.sineta(words + ["--dry-run"], environment)
                    == found + "nothing changed\n")
            #expect(try await Self.count(database, "select count(*) from sineta.jobs") == 0)
            #expect(try await Self.sineta(words, environment) == found + "2 retried\n")
            #expect(try await Self.count(database, "select count(*) from sineta.jobs") == 2)
            let list = try await Self.sineta(
                ["jobs", "list", "--kind", "push.deliver"], environment)
            #expect(list.split(separator: "\n").count == 2)
            #expect(
                try await Self.count(
                    database,
                    """
                    select count(*) from sineta.audit where act = 'dead_letters.retried'
                      and actor = 'cli' and after->>'count' = '2'
                    """) == 1)
        }
    }

    @Test("exports one JSON object a line, and discards only with a note")
    func discard() async throws {
        try await Self.run { database, environment in
            let export = try await Self.sineta(["jobs", "export"], environment)
            let lines = export.split(separator: "\n").map { Data($0.utf8) }
            #expect(lines.count == 3)
            let first = try #require(
                try JSONSerialization.jsonObject(with: lines[0]) as? [String: Any])
            #expect(first["reason"] as? String == "BadTopic")
            #expect((first["tries"] as? [Any])?.count == 1)
            let id = try #require(first["id"] as? String)
            let refused = try SinetaProcess(["jobs", "discard", "--id", id], environment)
            #expect(await refused.exitCode() == 64)
            let said = try await Self.sineta(
                ["jobs", "discard", "--id", id, "--note", "a test"], environment)
            #expect(said.hasSuffix("1 discarded\n"))
            #expect(try await Self.count(database, "select count(*) from sineta.jobs_dead") == 2)
        }
    }

    @Test("draws a bar that fits its total")
    func bar() {
        #expect(Progress.bar("x", 0, of: 4, width: 4) == "x  [....]  0 %  0 of 4")
        #expect(Progress.bar("x", 2, of: 4, width: 4) == "x  [##..]  50 %  2 of 4")
        #expect(Progress.bar("x", 9, of: 4, width: 4) == "x  [####]  100 %  9 of 4")
    }
}
