import Postgres
import Runtime
import TestKit
import Testing
import Values

@testable import Jobs
@testable import Storage
@testable import Worker

@Suite("Courtesy of deciding and delivering", .timeLimit(.minutes(3)))
struct CourtesyOfRunnersTests {
    @Test("of a flood's alerts eight are decided in one transaction, and the others' first")
    func deciding() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            let flood = try await harbour.store()
            try await harbour.raise(flood, count: 12)
            try await harbour.raise(shop.store)
            let decider = Decider(
                pool: harbour.pool, senders: Senders([Harbour.apns: ScriptedSender()]),
                settings: Harbour.settings, metrics: WorkerMetrics(Metrics()), added: { _ in })
            #expect(decider.room == .unbounded)
            let batch = try await Self.claim(JobKinds.decide, harbour)
            #expect(batch.jobs.count == 13)
            await decider.work(batch, desk: Self.desk(harbour))
            // The time of a decision is that of its transaction.
            let transactions = try await harbour.texts(
                """
                select string_agg(case when store_id = $1 then 'other' else 'flood' end, ' '
                    order by store_id = $1 desc)
                from sineta.alerts group by decided_at order by decided_at
                """, .id(shop.store))
            #expect(
                transactions.map { $0.split(separator: " ").count } == [8, 5]
                    && transactions[0].hasPrefix("other"))
            try await harbour.eventually("it rests for ever") { decider.room.rest == nil }
        }
    }

    @Test("of a flood's pushes 64 are claimed at once, and only other stores' after a batch")
    func delivering() async throws {
        try await Harbour.with { harbour in
            let lanes = try await harbour.queue.lanes(deadline: harbour.soon)
            let deliverer = harbour.deliverer(ScriptedSender(), lanes: lanes)
            #expect(deliverer.room.jobs > 64)
            let flood = StoreID(.random())
            let stores = [flood, flood, flood, flood, StoreID(.random())]
            let turn = deliverer.courtesy.withLock { $0.begin(stores, since: .now, at: .now) }
            #expect(deliverer.room.jobs == 64)
            #expect(deliverer.room.rest?.store == flood)
            // As after a batch that took its time.
            deliverer.courtesy.withLock { $0.end(turn, at: .now + .seconds(1)) }
            #expect(deliverer.room.rest?.store == flood)
        }
    }

    private static func claim(_ kind: String, _ harbour: Harbour) async throws -> JobBatch {
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
            jobs: claim.jobs, leaseEnds: claim.leaseEnds, clock: claim.clock, isProbe: false)
    }

    private static func desk(_ harbour: Harbour) -> JobDesk {
        JobDesk(
            queue: harbour.queue, log: .silent, metrics: JobMetrics(Metrics()),
            slots: JobSlots(total: 100, ringsFrom: 1, bell: JobBell()), shutdown: Shutdown())
    }
}
