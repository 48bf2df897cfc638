import Alerts
import Postgres
import Push
import Runtime
import TestKit
import Testing
import Values

@testable import Jobs
@testable import Worker

@Suite("Answers are judged by the batch's clock", .timeLimit(.minutes(2)))
struct BatchClockTests {
    @Test(
        "a failed push is tried again while the database says it lives, whatever this machine says")
    func judgedByBatch() async throws {
        try await Harbour.with { harbour in
            // By the clock of this machine its life ended half an hour ago.
            let job = NewJob(
                lane: LaneID(10), kind: "push.deliver", store: StoreID(.zero), raisedAt: .now(),
                expiresAt: .now() + .seconds(-1800))
            try await harbour.pool.transaction(deadline: harbour.soon) {
                try JobQueue.enqueue([job], in: $0)
            }
            let request = ClaimRequest(
                lane: LaneID(10),
                bounds: ClaimCursor.Bounds(lowTag: 0, dueFrom: nil, isFull: true), quota: 1)
            let claim = try await harbour.queue.claim(
                [request], lease: LeaseID(.random()), for: .seconds(60), deadline: harbour.soon)
            let batch = JobBatch(
                jobs: claim.jobs, leaseEnds: claim.leaseEnds,
                clock: DatabaseClock(.now() - .seconds(7200), at: .now), isProbe: false)
            let desk = DeliveryDesk(
                credential: Harbour.apns, settings: Harbour.settings, pool: harbour.pool,
                log: .silent, metrics: WorkerMetrics(Metrics()))
            let jobs = JobDesk(
                queue: harbour.queue, log: .silent, metrics: JobMetrics(Metrics()),
                slots: JobSlots(total: 1, ringsFrom: 1, bell: JobBell()), shutdown: Shutdown())
            let push = FlyingPush(
                job: try #require(claim.jobs.first), provider: "apns", registeredAt: .now(),
                policy: RetryPolicy())
            desk.land(
                push,
                PushResult(
                    outcome: ScriptedSender.unavailable, requests: 1, mayHaveArrived: true),
                batch, jobs)
            try await harbour.eventually("it was not written") {
                try await harbour.count(
                    "select count(*) from sineta.jobs where lease_id is not null") == 0
            }
            let waiting = try await harbour.count(
                "select count(*) from sineta.jobs where attempts = 1")
            #expect(waiting == 1)
        }
    }
}
