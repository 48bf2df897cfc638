import Alerts
import JSON
import Jobs
import Postgres
import Push
import Runtime
import Storage
import TestKit
import Testing
import Texts
import Values

@testable import Worker

/// A database with stores, people and phones, and workers that send to a scripted provider.
struct Harbour: Sendable {
    let database: TestDatabase
    let pool: PostgresPool
    let queue: JobQueue
    let behind: PostgresPool
    let wording: Wording

    static let apns = Credential(name: "apns", environment: "production")
    static let sandbox = Credential(name: "apns", environment: "sandbox")
    static let fcm = Credential(name: "fcm")

    /// - Parameter pooler: what the worker takes to stand before PostgreSQL.
    static func with<Result: Sendable>(
        pooler: PostgresConfiguration.Pooler = .none,
        _ body: (Harbour) async throws -> Result
    ) async throws -> Result {
        let wording = try LocalizationFolder(SourceTree.path("Localization")).wording()
        return try await withTestDatabase(
            Schema.migrations, key: "worker",
            prepare: { database in
                try await database.run(
                    "select sineta.admit('\(TestDatabase.Role.application.name)')", as: .owner)
            }
        ) { database in
            var login = try database.configuration()
            login.pooler = pooler
            let pool = PostgresPool(
                JobQueue.login(login), name: "worker", size: 8, log: .silent)
            let behind = try database.pool(.superuser, size: 2)
            let result = try await body(
                Harbour(
                    database: database, pool: pool, queue: JobQueue(pool: pool), behind: behind,
                    wording: wording))
            await pool.close()
            await behind.close()
            return result
        }
    }

    /// Quick settings: what takes seconds in the product takes milliseconds here.
    static var settings: WorkerSettings {
        var settings = WorkerSettings()
        settings.poll = .milliseconds(50)
        settings.breakerProbe = .milliseconds(60)
        settings.backoff = Backoff(base: .milliseconds(20), cap: .milliseconds(80))
        settings.pauseBase = .milliseconds(80)
        settings.pauseCap = .milliseconds(200)
        settings.providerTimeout = .seconds(5)
        return settings
    }

    /// Runs a worker while `body` runs, then has it drain.
    func working(
        _ senders: [Credential: any PushSending], settings: WorkerSettings = Harbour.settings,
        metrics: Metrics = Metrics(), log: Log = .silent, isMaintained: Bool = true,
        _ body: () async throws -> Void, draining: () -> Void = {}
    ) async throws {
        let run = try await start(
            senders, settings: settings, metrics: metrics, log: log, isMaintained: isMaintained)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body())
        } catch {
            outcome = .failure(error)
        }
        run.shutdown.begin()
        draining()
        try await run.end()
        try outcome.get()
    }

    /// A worker that runs until it is told to end.
    struct Run: Sendable {
        let shutdown: Shutdown
        let task: Task<Void, any Error>

        func end() async throws {
            shutdown.begin()
            try await task.value
        }
    }

    /// - Parameter isMaintained: whether the worker tidies up as well, beginning at once.
    func start(
        _ senders: [Credential: any PushSending], settings: WorkerSettings = Harbour.settings,
        metrics: Metrics = Metrics(), log: Log = .silent, isMaintained: Bool = true
    ) async throws -> Run {
        let shutdown = Shutdown()
        let services = try await WorkerServices(
            pool: pool, senders: Senders(senders), wording: wording, settings: settings, log: log,
            metrics: metrics
        ).make(deadline: soon).filter { isMaintained || !($0 is Maintainer) }
        let group = ServiceGroup(services, log: log)
        return Run(
            shutdown: shutdown,
            task: Task { try await group.run(until: shutdown, grace: .seconds(20)) })
    }

    /// What delivers for `Harbour.apns`, by itself.
    func deliverer(_ sender: ScriptedSender, lanes: [Lane]) -> Deliverer {
        let settings = Self.settings
        return Deliverer(
            credential: Self.apns, sender: sender,
            material: PushMaterialSource(pool: pool, senders: Senders([Self.apns: sender])),
            writer: PushPreparation(wording: wording, lanes: lanes, settings: settings),
            settings: settings,
            desk: DeliveryDesk(
                credential: Self.apns, settings: settings, pool: pool, log: .silent,
                metrics: WorkerMetrics(Metrics())),
            pace: Lock(FactsPace(most: settings.batch)))
    }

    var soon: Deadline { .after(.seconds(30)) }

    func count(_ sql: StaticSQL, _ values: PostgresValue...) async throws -> Int {
        try await behind.query(PostgresQuery(sql, values), deadline: soon).first?.int(0) ?? 0
    }

    func texts(_ sql: StaticSQL, _ values: PostgresValue...) async throws -> [String] {
        try await behind.query(PostgresQuery(sql, values), deadline: soon).map { try $0.text(0) }
    }

    func run(_ sql: StaticSQL, _ values: PostgresValue...) async throws {
        _ = try await behind.query(PostgresQuery(sql, values), deadline: soon)
    }

    /// Waits until no job is alive, looking again every few milliseconds.
    func settle() async throws {
        try await eventually("jobs are left") {
            try await count("select count(*) from sineta.jobs") == 0
        }
    }

    func eventually(_ complaint: Comment, _ fits: () async throws -> Bool) async throws {
        let deadline = Deadline.after(.seconds(60))
        let pause = JobBell()
        while try await !fits() {
            if deadline.hasPassed {
                Issue.record(complaint)
                return
            }
            await pause.wait(until: .after(.milliseconds(10)))
        }
    }

    func outcomes() async throws -> [String: Int] {
        let rows = try await behind.query(
            "select outcome, count(*) from sineta.deliveries group by outcome", deadline: soon)
        var outcomes: [String: Int] = [:]
        for row in rows { outcomes[try row.text(0)] = try row.int(1) }
        return outcomes
    }

    func dead() async throws -> [(reason: String, attempts: Int)] {
        try await behind.query(
            "select reason, attempts from sineta.jobs_dead order by dead_id", deadline: soon
        ).map { (try $0.text(0), try $0.int(1)) }
    }
}

extension Harbour {
    func store(_ name: String = "Loja Azul") async throws -> StoreID {
        let id = StoreID(.v7())
        try await run(
            """
            insert into sineta.stores (id, name, time_zone, locale, currency)
            values ($1, $2, 'America/Sao_Paulo', 'pt-BR', 'BRL')
            """, .id(id), .text(name))
        return id
    }

    func member(of store: StoreID, locale: String = "pt-BR") async throws -> UserID {
        let user = UserID(.v7())
        try await run(
            """
            insert into sineta.users (id, email, name, locale)
            values ($1, $1::text || '@example.com', 'Ana', $2)
            """, .id(user), .text(locale))
        try await run(
            """
            insert into sineta.members (store_id, user_id, role, permissions, joined_at)
            values ($1, $2, 'owner', '{}', now())
            """, .id(store), .id(user))
        return user
    }

    @discardableResult
    func phone(
        of user: UserID, token: String = UUID.random().description, transport: String = "apns",
        environment: String = "production"
    ) async throws -> DeviceID {
        let device = DeviceID(.v7())
        let session = SessionID(.v7())
        try await run(
            """
            insert into sineta.sessions (id, user_id, expires_at)
            values ($1, $2, now() + interval '30 days')
            """, .id(session), .id(user))
        try await run(
            """
            insert into sineta.devices
                (id, user_id, session_id, platform, transport, app_id, token, token_hash,
                environment)
            values ($1, $2, $3, case when $4 = 'fcm' then 'android' else 'ios' end, $4, 'default',
                $5, sha256(convert_to($5, 'UTF8')), $6)
            """, .id(device), .id(user), .id(session), .text(transport), .text(token),
            .text(environment))
        return device
    }

    /// A store with one member and one phone.
    func shop(
        _ name: String = "Loja Azul", token: String = UUID.random().description,
        transport: String = "apns"
    ) async throws -> (store: StoreID, user: UserID, device: DeviceID) {
        let store = try await store(name)
        let user = try await member(of: store)
        let device = try await phone(of: user, token: token, transport: transport)
        return (store, user, device)
    }

    static func paid(
        _ store: StoreID, order: UUID = .v7(), id: String = "paid-\(UUID.random())",
        receivedAt: Timestamp = .now()
    ) throws -> IngestEvent {
        let event = try Event.read([
            "id": .text(id), "type": "orders.paid",
            "data": [
                "order_id": .text(order.description), "number": "1042",
                "total": ["amount": "1234.56", "currency": "BRL"], "customer_name": "Ana Souza",
            ],
        ])
        return try #require(
            IngestEvent(
                store: store, id: EventID(.v7()), event: event, receivedAt: receivedAt))
    }

    func raise(_ events: [IngestEvent]) async throws {
        _ = try await pool.transaction(
            deadline: soon, preamble: [DatabaseRole.worker.query]
        ) { try Ingest.apply(events, in: $0) }
    }

    func raise(_ store: StoreID, count: Int = 1) async throws {
        try await raise(try (0..<count).map { _ in try Self.paid(store) })
    }
}
