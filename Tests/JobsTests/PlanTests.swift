import Postgres
import Runtime
import Storage
import TestKit
import Testing
import Values

@testable import Jobs

/// What the planner does with the queue's statements when the table is full.
@Suite("Plans on 50,000 jobs", .timeLimit(.minutes(3)))
struct PlanTests {
    enum Caching: String, CaseIterable, Sendable {
        case custom = "force_custom_plan"
        case generic = "force_generic_plan"
    }

    static let claimTypes = """
        uuid, integer[], bigint[], timestamptz[], integer[], interval, timestamptz[], integer[],
        uuid
        """
    static let claimArguments = """
        gen_random_uuid(), '{2,3}', '{0,0}', '{-infinity,-infinity}', '{100,100}', '30 s',
        '{-infinity,-infinity}', '{0,1}'
        """

    @Test(
        "a claim walks its indexes and reads nothing else of the table",
        arguments: ["null", "gen_random_uuid()"])
    func claim(passed: String) async throws {
        try await Self.filled { bench in
            for caching in Caching.allCases {
                let plan = try await Self.plan(
                    bench, JobQueue.claimSQL, Self.claimTypes,
                    "\(Self.claimArguments), \(passed)", caching)
                #expect(plan.contains("Index Scan using jobs_ready on jobs"), "\(plan)")
                #expect(plan.contains("Index Scan using jobs_timed on jobs"), "\(plan)")
                #expect(plan.contains("Index Scan using jobs_suspects on jobs"), "\(plan)")
                #expect(plan.contains("Tid Scan on jobs"), "\(plan)")
                #expect(!plan.contains("Seq Scan on jobs"), "\(plan)")
                #expect(!plan.contains("Sort Key: jobs"), "\(plan)")
            }
        }
    }

    @Test("plans made while the table is empty, and kept, do not scan it once it is full")
    func plannedEmpty() async throws {
        try await Bench.with { bench in
            try await bench.database.run("analyze sineta.jobs")
            try await Self.declare(bench)
            let two = "array[gen_random_uuid(), gen_random_uuid()]"
            let plans = [
                try await Self.plan(
                    bench, JobQueue.claimSQL, Self.claimTypes, "\(Self.claimArguments), null",
                    .generic),
                try await Self.plan(
                    bench, JobQueue.postponeSQL,
                    "uuid[], uuid[], bigint[], smallint[], text[], jsonb[]",
                    "\(two), \(two), '{1,1}', '{1,1}', '{a,b}', '{null,null}'", .generic),
            ]
            #expect(plans[0].contains("Index Scan using jobs_ready on jobs"), "\(plans[0])")
            for plan in plans {
                #expect(!plan.contains("Seq Scan on jobs"), "\(plan)")
                #expect(!plan.contains("Sort Key: jobs"), "\(plan)")
            }
        }
    }

    @Test("a probe of a broken credential walks the same indexes")
    func probe() async throws {
        try await Self.filled { bench in
            _ = try await bench.queue.breakLanes(
                of: Credential(name: ""), reason: "503", probeIn: .zero, deadline: bench.soon)
            for caching in Caching.allCases {
                let plan = try await Self.plan(
                    bench, JobQueue.probeSQL, "text, text, interval, uuid, interval, boolean",
                    "'', '', '0', gen_random_uuid(), '30 s', true", caching)
                #expect(plan.contains("Index Scan using jobs_ready on jobs"), "\(plan)")
                #expect(!plan.contains("Seq Scan on jobs"), "\(plan)")
                #expect(!plan.contains("Sort Key: jobs"), "\(plan)")
            }
        }
    }

    @Test("looking for what is past its time in closed lanes walks the same, and takes by id")
    func stale() async throws {
        try await Self.filled { bench in
            _ = try await bench.queue.switchOff(
                Credential(name: ""), reason: "none", deadline: bench.soon)
            for caching in Caching.allCases {
                let plan = try await Self.plan(
                    bench, JobQueue.staleSQL, "integer[], bigint[], bigint, uuid, interval",
                    "'{2,3}', '{0,0}', 200, gen_random_uuid(), '30 s'", caching)
                #expect(plan.contains("Index Scan using jobs_ready on jobs"), "\(plan)")
                #expect(plan.contains("Index Scan using jobs_timed on jobs"), "\(plan)")
                #expect(plan.contains("Index Scan using jobs_suspects on jobs"), "\(plan)")
                #expect(plan.contains("Index Scan using jobs_pkey on jobs"), "\(plan)")
                #expect(!plan.contains("Seq Scan on jobs"), "\(plan)")
                #expect(!plan.contains("Sort Key: jobs"), "\(plan)")
            }
        }
    }

    @Test("looking for jobs that a wrong clock has put off reads the far end of two indexes")
    func bringNear() async throws {
        try await Self.filled { bench in
            for caching in Caching.allCases {
                let plan = try await Self.plan(
                    bench, JobQueue.bringNearSQL, "integer[], interval", "'{2,3}', '30 s'",
                    caching)
                #expect(
                    plan.contains("Index Scan Backward using jobs_timed on jobs"), "\(plan)")
                #expect(
                    plan.contains("Index Scan Backward using jobs_suspects on jobs"), "\(plan)")
                #expect(!plan.contains("Seq Scan on jobs"), "\(plan)")
                #expect(!plan.contains("Sort Key: jobs"), "\(plan)")
            }
        }
    }

    @Test("jobs that wait to be claimed alone do not lie before the others")
    func suspects() async throws {
        try await Bench.with(connections: 1) { bench in
            _ = try await bench.add(2000)
            try await bench.database.run(
                """
                update sineta.jobs set losses = 2, wake_at = now() - interval '1 minute';
                analyze sineta.jobs;
                """)
            let ordinary = try await bench.add(10)
            try await bench.database.run(
                "update sineta.jobs set wake_at = now() where wake_at is null")
            let read = try await Self.entriesRead(bench, of: "jobs_timed") {
                let jobs = try await bench.claim(quota: 20).jobs
                let taken = Set(jobs.map(\.id))
                #expect(taken.isSuperset(of: ordinary.map(\.id)))
                #expect(jobs.count == 11, "one of them with it")
            }
            #expect(read <= 30, "\(read) entries for ten jobs")
        }
    }

    @Test("a claim that passes a store over does not read all that it has waiting")
    func passing() async throws {
        try await Bench.with(connections: 1) { bench in
            let store = StoreID(.v7())
            _ = try await bench.add(2000, store: store)
            let request = ClaimRequest(
                lane: Bench.urgent,
                bounds: ClaimCursor.Bounds(lowTag: 0, dueFrom: nil, isFull: true), quota: 100)
            let read = try await Self.entriesRead(bench) {
                let claim = try await bench.queue.claim(
                    [request], passing: store, lease: LeaseID(.random()), for: .seconds(30),
                    deadline: bench.soon)
                #expect(claim.jobs.isEmpty)
            }
            #expect(read <= 250, "\(read) entries for none")
        }
    }

    @Test("write-backs find their jobs by id", arguments: Caching.allCases)
    func writeBacks(caching: Caching) async throws {
        try await Self.filled { bench in
            let two = "array[gen_random_uuid(), gen_random_uuid()]"
            let postpone = try await Self.plan(
                bench, JobQueue.postponeSQL,
                "uuid[], uuid[], bigint[], smallint[], text[], jsonb[]",
                "\(two), \(two), '{1,1}', '{1,1}', '{a,b}', '{null,null}'", caching)
            let bury = try await Self.plan(
                bench, JobQueue.burySQL, "uuid[], uuid[], text[], smallint[], jsonb[]",
                "\(two), \(two), '{a,b}', '{1,1}', '{null,null}'", caching)
            for plan in [postpone, bury] {
                #expect(plan.contains("Index Scan using jobs_pkey"), "\(plan)")
                #expect(!plan.contains("Seq Scan on jobs"), "\(plan)")
            }
        }
    }

    @Test("with a transaction open over many ended jobs, a bounded claim reads few dead entries")
    func lowBound() async throws {
        try await Bench.with(connections: 1) { bench in
            // A snapshot held elsewhere: vacuum and index scans must keep every dead row.
            let holder = try SnapshotHolder(bench.database.configuration(.superuser))
            try await holder.open()
            var cursor = ClaimCursor()
            // Twenty rounds lie within the memory of the cursor, however quick the machine is.
            let start = ContinuousClock.now
            for round in 0..<200 {
                try await Self.work(100, bench, &cursor, at: start + .milliseconds(50 * round))
            }
            _ = try await bench.add(200)

            let now = start + .milliseconds(50 * 200)
            var bounds = cursor.bounds(at: now)
            if bounds.isFull {
                // The memory of the tags, as between two full claims.
                cursor.learn(
                    .init(
                        lowestTag: nil, dueWasFull: false, databaseTime: .now(), took: .zero),
                    of: bounds, at: now, jitter: 0.5)
                bounds = cursor.bounds(at: now)
            }
            let few = try await Self.entriesRead(bench) {
                let claim = try await bench.queue.claim(
                    [ClaimRequest(lane: Bench.urgent, bounds: bounds, quota: 200)],
                    lease: LeaseID(.random()), for: .zero, deadline: bench.soon)
                #expect(claim.jobs.count == 200)
            }
            _ = try await bench.add(200)
            let many = try await Self.entriesRead(bench) { _ = try await bench.claim(quota: 200) }
            await holder.release()
            #expect(many > 20_000)
            // What was claimed within the memory of the cursor lies before the bound's jobs.
            #expect(few < many / 5, "\(few) entries for 200 jobs, \(many) without a bound")
        }
    }

    /// One batch through the queue, its bounds learned.
    private static func work(
        _ count: Int, _ bench: Bench, _ cursor: inout ClaimCursor, at now: ContinuousClock.Instant
    ) async throws {
        _ = try await bench.add(count)
        let bounds = cursor.bounds(at: now)
        let request = ClaimRequest(lane: Bench.urgent, bounds: bounds, quota: count)
        let claim = try await bench.queue.claim(
            [request], lease: LeaseID(.random()), for: .seconds(30), deadline: bench.soon)
        let lane = try #require(claim.lanes[Bench.urgent])
        cursor.learn(lane.answer, of: bounds, at: now, jitter: 0.5)
        _ = try await bench.queue.finish(claim.jobs.map(\.held), deadline: bench.soon)
    }

    /// Entries of the index that `body` read, dead ones too.
    private static func entriesRead(
        _ bench: Bench, of index: String = "jobs_ready", _ body: () async throws -> Void
    ) async throws -> Int {
        let before = try await entries(bench, of: index)
        try await body()
        return try await entries(bench, of: index) - before
    }

    private static func entries(_ bench: Bench, of index: String) async throws -> Int {
        // A session flushes its own figures alone, so the pool has one.
        _ = try await bench.pool.query("select pg_stat_force_next_flush()", deadline: bench.soon)
        return try await bench.pool.query(
            "select idx_tup_read from pg_stat_user_indexes where indexrelname = $1", .text(index),
            deadline: bench.soon
        ).first?.int(0) ?? 0
    }

    private static func filled(_ body: (Bench) async throws -> Void) async throws {
        try await Bench.with { bench in
            let stores = (0..<500).map { _ in StoreID(.v7()) }
            for round in 0..<25 {
                try await bench.add(
                    (0..<2000).map { number in
                        NewJob(
                            lane: number % 4 == 0 ? Bench.bulk : Bench.urgent, kind: "a",
                            store: stores[(number * 7 + round) % stores.count], raisedAt: .now())
                    })
            }
            try await bench.database.run(
                """
                update sineta.jobs set wake_at = now() + random() * interval '1 hour'
                    where random() < 0.1;
                analyze sineta.jobs;
                """)
            try await declare(bench)
            try await body(bench)
        }
    }

    private static func declare(_ bench: Bench) async throws {
        try await bench.database.run(
            """
            create function public.plan(sql text, types text, arguments text, caching text)
            returns setof text language plpgsql as $$
            begin
                perform set_config('plan_cache_mode', caching, true);
                execute format('prepare probe(%s) as %s', types, sql);
                return query execute format('explain execute probe(%s)', arguments);
                execute 'deallocate probe';
            end
            $$;
            grant usage on schema public to public;
            """)
    }

    private static func plan(
        _ bench: Bench, _ sql: StaticSQL, _ types: String, _ arguments: String, _ caching: Caching
    ) async throws -> String {
        let rows = try await bench.pool.query(
            "select * from public.plan($1, $2, $3, $4)", .text(sql.description), .text(types),
            .text(arguments), .text(caching.rawValue), deadline: bench.soon)
        return try rows.map { try $0.text(0) }.joined(separator: "\n")
    }
}
