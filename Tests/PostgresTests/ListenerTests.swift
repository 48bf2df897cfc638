import Postgres
import Runtime
import TestKit
import Testing

@Suite struct ListenerTests {
    private func withListener(
        _ database: TestDatabase, heartbeat: Duration = .seconds(10),
        configuration: PostgresConfiguration? = nil,
        _ body: (Record<PostgresListener.Event>) async throws -> Void
    ) async throws {
        let heard = Record<PostgresListener.Event>()
        let listener = PostgresListener(
            try configuration ?? database.configuration(), heartbeat: heartbeat, log: .silent,
            subscribers: [(topic: "jobs", action: { heard.add($0) })])
        let shutdown = Shutdown()
        async let running: Void = listener.run(until: shutdown)
        #expect(try await eventually { heard.all.first == .connected })
        do {
            try await body(heard)
        } catch {
            shutdown.begin()
            throw error
        }
        shutdown.begin()
        try await running
    }

    @Test("a topic that is notified is heard, another is not")
    func hears() async throws {
        try await withTestDatabase { database in
            try await withListener(database) { heard in
                let pool = try database.pool(size: 1)
                _ = try await pool.query(
                    "SELECT pg_notify('other', ''), pg_notify('jobs', 'x')", deadline: .generous)
                #expect(try await eventually { heard.all.count == 2 })
                #expect(heard.all.last == .notified(payload: "x"))
            }
        }
    }

    @Test("after its backend is terminated it listens again and says so")
    func rebuilt() async throws {
        try await withTestDatabase { database in
            try await withListener(database) { heard in
                let pool = try database.pool(.superuser, size: 1)
                #expect(try await database.terminateBackends(pool) == 1)
                #expect(try await eventually { heard.all == [.connected, .connected] })
                _ = try await pool.query("SELECT pg_notify('jobs', 'y')", deadline: .generous)
                #expect(try await eventually { heard.all.last == .notified(payload: "y") })
            }
        }
    }

    @Test("a connection that is dead without a word is found by the heartbeat")
    func heartbeat() async throws {
        try await withTestDatabase { database in
            let proxy = try database.faultProxy()
            let configuration = try database.configuration(through: proxy)
            try await withListener(
                database, heartbeat: .milliseconds(100), configuration: configuration
            ) { heard in try await silence(proxy, heard) }
        }
    }

    private func silence(_ proxy: FaultProxy, _ heard: Record<PostgresListener.Event>) async throws
    {
        proxy.fault = .blackHole
        #expect(try await eventually { proxy.accepted > 1 })
        proxy.fault = .none
        #expect(try await eventually { heard.all.count >= 2 })
        #expect(heard.all.allSatisfy { $0 == .connected })
    }

    @Test("many marks become few notifications, and the last one is heard")
    func coalesces() async throws {
        try await withTestDatabase { database in
            try await withListener(database) { heard in
                let notifier = PostgresNotifier(
                    try database.pool(size: 2), interval: .milliseconds(50), log: .silent)
                for _ in 0..<1000 { notifier.mark("jobs") }
                #expect(try await eventually { heard.all.count >= 2 })
                let second = ContinuousClock.now
                notifier.mark("jobs")
                #expect(
                    try await eventually {
                        heard.all.last == .notified(payload: "") && heard.all.count >= 3
                    })
                #expect(heard.all.count < 20)
                #expect(ContinuousClock.now - second < .seconds(10))
            }
        }
    }

    @Test("behind a transaction pooler it waits for the end and hears nothing")
    func pooler() async throws {
        var configuration = try PostgresConfiguration(url: "postgresql://u@127.0.0.1:1/d")
        configuration.pooler = .transaction
        let shutdown = Shutdown()
        let listener = PostgresListener(configuration, log: .silent, subscribers: [])
        async let running: Void = listener.run(until: shutdown)
        shutdown.begin()
        try await running
    }
}
