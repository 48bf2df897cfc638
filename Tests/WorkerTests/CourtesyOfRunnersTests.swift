import Runtime
import TestKit
import Testing
import Values

@testable import Jobs
@testable import Storage
@testable import Worker

@Suite("Courtesy of deciding and delivering", .timeLimit(.minutes(3)))
struct CourtesyOfRunnersTests {
    @Test("deciding a batch of a flood leaves eight alerts in hand at most, and a rest")
    func deciding() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            let flood = try await harbour.store()
            try await harbour.raise(flood, count: 12)
            try await harbour.raise(shop.store)
            let decider = Decider(
                pool: harbour.pool, senders: Senders([Harbour.apns: ScriptedSender()]),
                settings: Harbour.settings, metrics: WorkerMetrics(Metrics()), added: { _ in })
            #expect(decider.room(inHand: 100) == .max)
            let batch = try await Self.claim(JobKinds.decide, harbour)
            #expect(batch.jobs.count == 13)
            await decider.work(batch, desk: Self.desk(harbour))
            #expect(decider.room(inHand: 8) == 0)
            try await harbour.eventually("it rests for ever") {
                decider.room(inHand: 5) == 3
            }
        }
    }

    @Test("delivering a batch of a flood is followed by a rest")
    func delivering() async throws {
        try await Harbour.with { harbour in
            let lanes = try await harbour.queue.lanes(deadline: harbour.soon)
            let deliverer = harbour.deliverer(ScriptedSender(), lanes: lanes)
            #expect(deliverer.room > 0)
            let flood = StoreID(.random())
            // As after a batch that took its time.
            deliverer.courtesy.withLock {
                $0.worked(
                    [flood, flood, flood, flood, StoreID(.random())], for: .milliseconds(100),
                    at: .now + .seconds(1))
            }
            #expect(deliverer.room == 0)
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
