import Jobs
import Testing
import Values

@Suite("What a verdict means")
struct JobPolicyTests {
    let policy = JobPolicy { attempt, _ in .seconds(attempt) }

    func job(attempts: Int) -> ClaimedJob {
        ClaimedJob(
            id: JobID(.random()), lease: LeaseID(.random()), lane: LaneID(1), kind: "a",
            store: StoreID(.zero), subject: nil, target: nil, member: nil,
            raisedAt: Timestamp(seconds: 0), createdAt: Timestamp(seconds: 0), expiresAt: nil,
            attempts: attempts, losses: 0, args: nil)
    }

    func sheet(_ verdict: JobVerdict, attempts: Int) -> (ClaimedJob, VerdictSheet) {
        let job = job(attempts: attempts)
        let sheet = VerdictSheet(
            [(job, verdict)], policy: policy, at: Timestamp(seconds: 0), jitter: { 0 })
        return (job, sheet)
    }

    @Test("the first four failures wait, the fifth is buried with its attempt counted")
    func fiveAttempts() {
        for attempts in 0..<4 {
            let (job, sheet) = sheet(.retry(reason: "503"), attempts: attempts)
            #expect(sheet.buried.isEmpty)
            #expect(sheet.postponed.map(\.job) == [job.held])
            #expect(sheet.postponed.allSatisfy { $0.countsAsAttempt })
        }
        let (job, last) = sheet(.retry(reason: "503"), attempts: 4)
        #expect(last.postponed.isEmpty)
        #expect(last.buried.map(\.job) == [job.held])
        #expect(last.buried.allSatisfy { $0.countsAsAttempt })
    }

    @Test("a snooze costs no attempt")
    func snooze() {
        let (_, sheet) = sheet(.snooze(.seconds(3)), attempts: 4)
        #expect(sheet.postponed.map(\.countsAsAttempt) == [false])
        #expect(sheet.postponed.map(\.wait) == [.seconds(3)])
    }

    @Test("what is done is finished, and what was written is left alone")
    func ends() {
        let (job, done) = sheet(.done, attempts: 0)
        #expect(done.finished == [job.held])
        let (_, written) = sheet(.written, attempts: 0)
        #expect(written.finished.isEmpty && written.postponed.isEmpty && written.buried.isEmpty)
    }

    @Test("an attempt is kept as its time, status and reason")
    func attempt() {
        let attempt = Attempt(
            at: Timestamp(microseconds: 1), status: 503, reason: "ServiceUnavailable")
        #expect(
            String(decoding: attempt.encoded, as: UTF8.self)
                == #"{"at":"1970-01-01T00:00:00.000001Z","status":503,"reason":"ServiceUnavailable"}"#
        )
    }
}
