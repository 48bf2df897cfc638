import Alerts
import Jobs
import Testing
import Values

@testable import Worker

@Suite("The gate of a credential")
struct ProviderGateTests {
    let now = ContinuousClock.now
    static let failure = ProviderOutcome.retry(
        ProviderWord(status: 503, reason: "Shutdown"), notBefore: nil)
    static let accepted = ProviderOutcome.accepted(messageID: nil)
    static let refused = ProviderOutcome.credentialsRefused(
        ProviderWord(status: 403, reason: "InvalidProviderToken"), remedy: nil)

    @Test("the third failure in a row breaks the lanes and still costs an attempt")
    func breaks() {
        var gate = ProviderGate()
        for _ in 0..<2 {
            let ruling = gate.hear(Self.failure)
            #expect(ruling.edge == nil && !ruling.goesBack)
        }
        let third = gate.hear(Self.failure)
        #expect(third.edge == .breaks(reason: "Shutdown"))
        #expect(!third.goesBack)
        #expect(!gate.isOpen)
        let late = gate.hear(Self.failure)
        #expect(late.goesBack && late.edge == nil)
    }

    /// A try of a job, so many seconds after it came to be.
    static func tried(_ seconds: Int64, status: Int? = 503, reason: String = "Shutdown") -> Attempt
    {
        Attempt(at: Timestamp(seconds: seconds), status: status, reason: reason)
    }

    @Test("one push and six workers: three attempts, whichever workers hear them")
    func quietHour() {
        var gates = (0..<6).map { _ in ProviderGate() }
        // All have heard of better times.
        for index in gates.indices { _ = gates[index].hear(Self.accepted, at: 10) }
        var tries: [Attempt] = []
        for index in gates.indices {
            let ruling = gates[index].hear(
                Self.failure, tries: tries, at: Int64(20 + index * 5))
            #expect(ruling.goesBack == (index >= 3), "worker \(index)")
            #expect((ruling.edge == .breaks(reason: "Shutdown")) == (index >= 2))
            if !ruling.goesBack {
                tries.append(Attempt(at: ruling.order, status: 503, reason: "x"))
            }
        }
        #expect(tries.count == 3)
    }

    @Test("a job's earlier failures count only after the last other answer")
    func otherAnswers() {
        var heard = ProviderGate()
        _ = heard.hear(Self.accepted, at: 30)
        let tries = [10, 20, 25, 29].map { Self.tried($0) }
        let fifth = heard.hear(Self.failure, tries: tries, at: 40)
        #expect(!fifth.goesBack && fifth.edge == nil)

        var fresh = ProviderGate()
        let early = fresh.hear(Self.failure, tries: Array(tries.prefix(1)), at: 40)
        #expect(!early.goesBack && early.edge == nil, "the second failure of two")
        // The worker that opened the lanes heard it for all.
        var told = ProviderGate()
        told.follow(isOpen: true, since: Timestamp(seconds: 30), asOf: now)
        let last = told.hear(Self.failure, tries: tries, at: 40)
        #expect(!last.goesBack && last.edge == nil)
    }

    @Test("a 429 of the job is an answer, what its token's endpoint said is none")
    func throttledBetween() {
        var gate = ProviderGate()
        let throttled = Self.tried(20, status: 429, reason: "TooManyRequests")
        let apart = gate.hear(
            Self.failure, tries: [Self.tried(10), Self.tried(11), throttled], at: 30)
        #expect(apart.edge == nil)
        var other = ProviderGate()
        let token = Self.tried(20, status: 429, reason: "token_http_429")
        #expect(other.hear(Self.failure, tries: [Self.tried(10), token], at: 30).edge != nil)
    }

    @Test("answers have an order, though their clocks have none")
    func order() {
        var gate = ProviderGate()
        let failed = gate.hear(Self.failure, at: 50)
        _ = gate.hear(Self.accepted, at: 40)
        let tries = Array(repeating: Attempt(at: failed.order, status: 503, reason: "x"), count: 3)
        #expect(!gate.hear(Self.failure, tries: tries, at: 45).goesBack)
    }

    @Test("a clock that was a day ahead and came back ends no push and forgets no answer")
    func clockCameBack() throws {
        let day: Int64 = 86_400
        var gate = ProviderGate()
        _ = gate.hear(Self.accepted, at: day)
        gate.follow(isOpen: true, since: Timestamp(seconds: day + 1), asOf: now)
        let failed = gate.hear(Self.failure, at: 0)
        let job = ClaimedJob(
            id: JobID(.random()), lease: LeaseID(.random()), lane: LaneID(10), kind: "push.deliver",
            store: StoreID(.zero), subject: nil, target: nil, member: nil,
            raisedAt: Timestamp(seconds: 0), createdAt: Timestamp(seconds: 0),
            expiresAt: Timestamp(seconds: 3600), attempts: 0, losses: 0, args: nil)
        let push = FlyingPush(
            job: job, provider: "apns", registeredAt: Timestamp(seconds: 0), policy: RetryPolicy())
        guard
            case .again(let again) = push.ending(of: failed, random: 0.5, closedWait: .seconds(5))
        else {
            Issue.record("it was not tried again")
            return
        }
        #expect(again.countsAsAttempt && again.wait < .seconds(60))
        // What was tried by the wrong clock is no failure of now, and what is heard now counts.
        let ahead = Array(repeating: Self.tried(day), count: 3)
        #expect(!gate.hear(Self.failure, tries: ahead, at: 20).goesBack)
        _ = gate.hear(Self.accepted, at: 40)
        let before = Array(repeating: Self.tried(30), count: 3)
        #expect(!gate.hear(Self.failure, tries: before, at: 50).goesBack)
        gate.follow(isOpen: true, since: Timestamp(seconds: 60), asOf: now)
        let between = Array(repeating: Self.tried(55), count: 3)
        #expect(!gate.hear(Self.failure, tries: between, at: 70).goesBack)
        let after = Array(repeating: Self.tried(65), count: 3)
        #expect(gate.hear(Self.failure, tries: after, at: 80).goesBack)
    }

    @Test("any other answer between starts the count over")
    func between() {
        var gate = ProviderGate()
        for _ in 0..<10 {
            _ = gate.hear(Self.failure)
            _ = gate.hear(Self.failure)
            _ = gate.hear(Self.accepted)
        }
        #expect(gate.isOpen)
    }

    @Test("an answer that was on its way does not close the breaker, the probe's does")
    func closes() {
        var gate = ProviderGate()
        for _ in 0..<3 { _ = gate.hear(Self.failure) }
        let late = gate.hear(Self.accepted)
        #expect(late.edge == nil && !gate.isOpen)
        let failed = gate.hear(Self.failure, isProbe: true)
        #expect(failed.goesBack && failed.edge == nil)
        let probe = gate.hear(Self.accepted, isProbe: true)
        #expect(probe.edge == .closesBreaker)
        #expect(gate.isOpen)
    }

    @Test("a worker that did not see the outage can probe it as well")
    func foreignProbe() {
        var gate = ProviderGate()
        #expect(gate.hear(Self.failure, isProbe: true).goesBack)
        #expect(gate.hear(Self.accepted, isProbe: true).edge == .closesBreaker)
    }

    @Test("the first refusal of credentials pauses, those in flight go back")
    func pauses() {
        var gate = ProviderGate()
        let first = gate.hear(Self.refused)
        #expect(first.edge == .pauses(reason: "InvalidProviderToken"))
        #expect(!first.goesBack)
        let second = gate.hear(Self.refused)
        #expect(second.goesBack && second.edge == nil)
    }

    @Test("a claim sent before an edge says nothing about it, a later one opens the gate")
    func follows() {
        var gate = ProviderGate()
        _ = gate.hear(Self.refused)
        gate.follow(isOpen: true, since: nil, asOf: now + .seconds(9))
        #expect(!gate.isOpen, "the edge is not written yet")
        gate.edgeWasWritten(at: now + .milliseconds(10))
        gate.follow(isOpen: true, since: nil, asOf: now + .milliseconds(5))
        #expect(!gate.isOpen)
        gate.follow(isOpen: true, since: nil, asOf: now + .milliseconds(11))
        #expect(gate.isOpen)
        // It counts from the beginning again.
        for _ in 0..<2 { _ = gate.hear(Self.failure) }
        #expect(gate.isOpen)
    }

    @Test(
        "the tenth mismatch keeps its device and pauses; after a resume the next one pauses again")
    func mismatches() {
        let mismatch = ProviderOutcome.unregistered(
            ProviderWord(status: 400, reason: "BadDeviceToken"), device: .delete)
        var gate = ProviderGate()
        for _ in 0..<9 {
            let ruling = gate.hear(mismatch)
            #expect(ruling.outcome == mismatch && ruling.edge == nil)
        }
        let tenth = gate.hear(mismatch)
        #expect(tenth.outcome == mismatch.keepingDevice)
        #expect(tenth.edge == .pauses(reason: "device_mismatch"))
        #expect(!tenth.goesBack)
        #expect(gate.hear(mismatch).goesBack)
        gate.edgeWasWritten(at: now)
        gate.follow(isOpen: true, since: nil, asOf: now + .seconds(1))
        let again = gate.hear(mismatch)
        #expect(again.edge == .pauses(reason: "device_mismatch"))
        #expect(again.outcome == mismatch.keepingDevice)
    }
}

extension ProviderGate {
    /// - Parameter seconds: when it is heard.
    fileprivate mutating func hear(
        _ answer: ProviderOutcome, isProbe: Bool = false, tries: [Attempt] = [],
        at seconds: Int64 = 100
    ) -> Ruling {
        note(answer, isProbe: isProbe, tries: tries, at: Timestamp(seconds: seconds))
    }
}
