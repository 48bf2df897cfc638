import Jobs
import Postgres
import Runtime
import Storage
import TestKit
import Values

/// A database with the queue in it, and short ways to say what a test does.
struct Bench: Sendable {
    let database: TestDatabase
    let pool: PostgresPool
    let queue: JobQueue

    /// Lanes of the schema that need no credential, and two of one that do.
    static let urgent = LaneID(2)
    static let bulk = LaneID(3)
    static let apns = LaneID(10)
    static let apnsBulk = LaneID(11)
    static let credential = Credential(name: "apns", environment: "production")

    static func with<Result: Sendable>(
        connections: Int = 6, _ body: (Bench) async throws -> Result
    ) async throws -> Result {
        try await withTestDatabase(Schema.migrations) { database in
            let pool = PostgresPool(
                JobQueue.login(try database.configuration(.superuser)), name: "worker",
                size: connections,
                log: .silent)
            let result = try await body(
                Bench(database: database, pool: pool, queue: JobQueue(pool: pool)))
            await pool.close()
            return result
        }
    }

    func add(
        _ count: Int, to lane: LaneID = urgent, store: StoreID = StoreID(.zero),
        kind: String = "test"
    ) async throws -> [NewJob] {
        let jobs = (0..<count).map { _ in
            NewJob(lane: lane, kind: kind, store: store, raisedAt: .now())
        }
        try await add(jobs)
        return jobs
    }

    func add(_ jobs: [NewJob]) async throws {
        try await pool.transaction(deadline: .after(.seconds(30))) {
            try JobQueue.enqueue(jobs, in: $0)
        }
    }

    /// A claim that looks at everything.
    func claim(
        _ lanes: [LaneID] = [urgent], quota: Int = 100, lease: Duration = .seconds(30)
    ) async throws -> Claim {
        try await queue.claim(
            lanes.map {
                ClaimRequest(
                    lane: $0,
                    bounds: ClaimCursor.Bounds(lowTag: 0, dueFrom: nil, isFull: true), quota: quota)
            }, lease: LeaseID(.random()), for: lease, deadline: .after(.seconds(30)))
    }

    func count(_ table: StaticSQL) async throws -> Int {
        try await pool.query(table, deadline: .after(.seconds(30))).first?.int(0) ?? 0
    }

    var alive: Int {
        get async throws { try await count("select count(*) from sineta.jobs") }
    }

    var dead: Int {
        get async throws { try await count("select count(*) from sineta.jobs_dead") }
    }

    var soon: Deadline { .after(.seconds(30)) }
}
