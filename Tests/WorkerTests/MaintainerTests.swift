import Alerts
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

    @Test("an alert whose last push was buried and that nobody marked is marked")
    func unheard() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            try await harbour.raise(shop.store)
            let sender = ScriptedSender { _ in
                .requestRefused(ProviderWord(status: 400, reason: "BadTopic"))
            }
            // With a maintainer of its own the worker could mark the alert after its end: a
            // transaction that has begun is not called back.
            try await harbour.working([Harbour.apns: sender], isMaintained: false) {
                try await harbour.eventually("it was not marked") {
                    try await harbour.count(
                        "select count(*) from sineta.alerts where is_unheard") == 1
                }
            }
            try await harbour.run("update sineta.alerts set is_unheard = false")
            let metrics = Metrics()
            let maintainer = Maintainer(
                pool: harbour.pool, settings: WorkerSettings(), log: .silent, metrics: metrics)
            let isWell = await maintainer.tick()
            #expect(isWell)
            #expect(
                try await harbour.count("select count(*) from sineta.alerts where is_unheard") == 1)
            #expect(
                metrics.render().contains(
                    "sineta_alerts_unheard_total{kind=\"orders.paid\"} 1\n"))
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
