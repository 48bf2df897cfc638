import Postgres
import Runtime
import TestKit
import Testing
import Values

@testable import Jobs
@testable import Storage
@testable import Worker

@Suite("Deciding a flood", .timeLimit(.minutes(3)))
struct DecidingAFloodTests {
    @Test("of a flood's alerts eight are decided in one transaction, and the others' before them")
    func deciding() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            let flood = try await harbour.store()
            try await harbour.raise(flood, count: 12)
            try await harbour.raise(shop.store)
            var settings = Harbour.settings
            // What is not begun in half of it would go back.
            settings.lease = .seconds(120)
            let decider = Decider(
                pool: harbour.pool, senders: Senders([Harbour.apns: ScriptedSender()]),
                settings: settings, metrics: WorkerMetrics(Metrics()), added: { _ in })
            let batch = try await Self.claim(JobKinds.decide, harbour, flood: flood)
            #expect(batch.jobs.count == 13)
            await decider.work(batch, desk: Self.desk(harbour))
            // The time of a decision is that of its transaction.
            let transactions = try await harbour.texts(
                """
                select string_agg(case when store_id = $1 then 'other' else 'flood' end, ' ')
                from sineta.alerts group by decided_at order by decided_at
                """, .id(shop.store))
            let eight = String(repeating: " flood", count: 8).dropFirst()
            #expect(transactions == ["other", String(eight), "flood flood flood flood"])
        }
    }

    @Test("what is not begun in the first half of the lease goes back as it was")
    func halfTheLease() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            try await harbour.raise(shop.store, count: 3)
            let decider = Decider(
                pool: harbour.pool, senders: Senders([Harbour.apns: ScriptedSender()]),
                settings: Harbour.settings, metrics: WorkerMetrics(Metrics()), added: { _ in })
            let batch = try await Self.claim(JobKinds.decide, harbour, flood: shop.store)
            let late = JobBatch(
                jobs: batch.jobs, leaseEnds: batch.leaseEnds,
                clock: DatabaseClock(
                    .now(), at: batch.claimedAt - Harbour.settings.lease / 2),
                isProbe: false, flood: shop.store)
            await decider.work(late, desk: Self.desk(harbour))
            #expect(
                try await harbour.count(
                    """
                    select count(*) from sineta.jobs
                    where attempts = 0 and losses = 0 and lease_id is null
                    """) == 3)
        }
    }

    private static func claim(
        _ kind: String, _ harbour: Harbour, flood: StoreID
    ) async throws -> JobBatch {
        let requests = try await harbour.queue.lanes(deadline: harbour.soon)
            .filter { $0.kind == kind }
            .map {
                ClaimRequest(
                    lane: $0.id, bounds: ClaimCursor.Bounds(lowTag: 0, dueFrom: nil, isFull: true),
                    quota: 100)
            }
        let claim = try await harbour.queue.claim(
            requests, lease: LeaseID(.random()), for: .seconds(60), deadline: harbour.soon)
        return JobBatch(
            jobs: claim.jobs, leaseEnds: claim.leaseEnds, clock: claim.clock, isProbe: false,
            flood: flood)
    }

    private static func desk(_ harbour: Harbour) -> JobDesk {
        JobDesk(
            queue: harbour.queue, log: .silent, metrics: JobMetrics(Metrics()),
            slots: JobSlots(total: 100, ringsFrom: 1, bell: JobBell()), shutdown: Shutdown())
    }
}
