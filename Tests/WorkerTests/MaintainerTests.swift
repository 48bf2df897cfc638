import Postgres
import Storage
import TestKit
import Testing
import Values

@Suite("Upkeep", .timeLimit(.minutes(2)))
struct MaintainerTests {
    @Test("every sort of outlived row can be deleted by the worker's role")
    func deletes() async throws {
        try await Harbour.with { harbour in
            let upkeep = Upkeep(pool: harbour.pool)
            for kind in Outlived.allCases {
                let deleted = try await upkeep.deleteAll(kind, before: .now())
                #expect(deleted == 0)
            }
        }
    }

    @Test("rows older than the limit go, younger ones stay")
    func limit() async throws {
        try await Harbour.with { harbour in
            let store = try await harbour.store()
            try await harbour.raise(store, count: 3)
            try await harbour.run(
                """
                update sineta.events set received_at = now() - interval '91 days'
                where id = (select min(id::text)::uuid from sineta.events)
                """)
            let upkeep = Upkeep(pool: harbour.pool)
            let limit = Timestamp.now() - .seconds(90 * 86_400)
            #expect(try await upkeep.deleteAll(.events, before: limit) == 1)
            #expect(try await harbour.count("select count(*) from sineta.events") == 2)
        }
    }

    @Test("partitions are made ahead once, and those out of date are dropped")
    func partitions() async throws {
        try await Harbour.with { harbour in
            let upkeep = Upkeep(pool: harbour.pool)
            let today = Int(Timestamp.now().seconds / 86_400)
            let count0 = try await upkeep.makePartitions(daysAhead: 9, deadline: harbour.soon)
            #expect(count0 == 2)
            let count1 = try await upkeep.makePartitions(daysAhead: 9, deadline: harbour.soon)
            #expect(count1 == 0)
            let last = CivilDate(daysSinceEpoch: today + 9)
            let isThere = try await upkeep.hasPartition(of: last, deadline: harbour.soon)
            #expect(isThere)
            let none = CivilDate(daysSinceEpoch: today + 10)
            let isMissing = try await !upkeep.hasPartition(of: none, deadline: harbour.soon)
            #expect(isMissing)
            let tooYoung = CivilDate(daysSinceEpoch: today - 6)
            do {
                _ = try await upkeep.dropPartitions(before: tooYoung, deadline: harbour.soon)
                Issue.record("deliveries younger than a week were given up")
            } catch {
                #expect((error as? PostgresError)?.sqlState == "22023")
            }
            let week = CivilDate(daysSinceEpoch: today - 7)
            let count2 = try await upkeep.dropPartitions(before: week, deadline: harbour.soon)
            #expect(count2 == 0)
        }
    }
}
