import Postgres
import Runtime
import Storage
import TestKit
import Testing
import Values

@testable import Worker

@Suite("Maintenance", .timeLimit(.minutes(2)))
struct MaintainerTests {
    @Test(
        "a round makes the partitions, removes what is old and leaves what is young",
        arguments: [PostgresConfiguration.Pooler.none, .transaction])
    func round(pooler: PostgresConfiguration.Pooler) async throws {
        try await Harbour.with(pooler: pooler) { harbour in
            let store = try await harbour.store()
            try await harbour.raise(store, count: 3)
            try await harbour.run(
                """
                update sineta.events set received_at = now() - interval '91 days'
                where id = (select min(id::text)::uuid from sineta.events)
                """)
            let metrics = Metrics()
            let maintainer = Maintainer(
                pool: harbour.pool, settings: WorkerSettings(), log: .silent, metrics: metrics)
            let isWell = await maintainer.tick()
            #expect(isWell)
            #expect(try await harbour.count("select count(*) from sineta.events") == 2)
            let text = metrics.render()
            #expect(text.contains("sineta_rows_removed_total{table=\"events\"} 1\n"))
            #expect(text.contains("sineta_partition_missing 0\n"))
        }
    }

    @Test("a step that fails is counted, told, and asks for the next round soon")
    func failure() async throws {
        try await Harbour.with { harbour in
            try await harbour.run("revoke delete on sineta.events from sineta_worker")
            let metrics = Metrics()
            let maintainer = Maintainer(
                pool: harbour.pool, settings: WorkerSettings(), log: .silent, metrics: metrics)
            let isWell = await maintainer.tick()
            #expect(!isWell)
            #expect(
                metrics.render().contains(
                    "sineta_maintenance_failures_total{step=\"sweep\"} 1\n"))
        }
    }
}
