import Alerts
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
            let ruling = gate.note(Self.failure, isProbe: false)
            #expect(ruling.edge == nil && !ruling.goesBack)
        }
        let third = gate.note(Self.failure, isProbe: false)
        #expect(third.edge == .breaks(reason: "Shutdown"))
        #expect(!third.goesBack)
        #expect(!gate.isOpen)
        let late = gate.note(Self.failure, isProbe: false)
        #expect(late.goesBack && late.edge == nil)
    }

    @Test("failures of the job elsewhere count for a worker that hears nothing else")
    func elsewhere() {
        var fresh = ProviderGate()
        let third = fresh.note(Self.failure, isProbe: false, attempts: 2, limit: 5)
        #expect(third.edge == .breaks(reason: "Shutdown") && !third.goesBack)

        var last = ProviderGate()
        #expect(last.note(Self.failure, isProbe: false, attempts: 4, limit: 5).goesBack)

        var busy = ProviderGate()
        _ = busy.note(Self.accepted, isProbe: false)
        #expect(busy.note(Self.failure, isProbe: false, attempts: 4, limit: 5).edge == nil)
        #expect(busy.isOpen)
    }

    @Test("any other answer between starts the count over")
    func between() {
        var gate = ProviderGate()
        for _ in 0..<10 {
            _ = gate.note(Self.failure, isProbe: false)
            _ = gate.note(Self.failure, isProbe: false)
            _ = gate.note(Self.accepted, isProbe: false)
        }
        #expect(gate.isOpen)
    }

    @Test("an answer that was on its way does not close the breaker, the probe's does")
    func closes() {
        var gate = ProviderGate()
        for _ in 0..<3 { _ = gate.note(Self.failure, isProbe: false) }
        let late = gate.note(Self.accepted, isProbe: false)
        #expect(late.edge == nil && !gate.isOpen)
        let failed = gate.note(Self.failure, isProbe: true)
        #expect(failed.goesBack && failed.edge == nil)
        let probe = gate.note(Self.accepted, isProbe: true)
        #expect(probe.edge == .closesBreaker)
        #expect(gate.isOpen)
    }

    @Test("a worker that did not see the outage can probe it as well")
    func foreignProbe() {
        var gate = ProviderGate()
        #expect(gate.note(Self.failure, isProbe: true).goesBack)
        #expect(gate.note(Self.accepted, isProbe: true).edge == .closesBreaker)
    }

    @Test("the first refusal of credentials pauses, those in flight go back")
    func pauses() {
        var gate = ProviderGate()
        let first = gate.note(Self.refused, isProbe: false)
        #expect(first.edge == .pauses(reason: "InvalidProviderToken"))
        #expect(!first.goesBack)
        let second = gate.note(Self.refused, isProbe: false)
        #expect(second.goesBack && second.edge == nil)
    }

    @Test("a claim sent before an edge says nothing about it, a later one opens the gate")
    func follows() {
        var gate = ProviderGate()
        _ = gate.note(Self.refused, isProbe: false)
        gate.follow(isOpen: true, asOf: now + .seconds(9))
        #expect(!gate.isOpen, "the edge is not written yet")
        gate.edgeWasWritten(at: now + .milliseconds(10))
        gate.follow(isOpen: true, asOf: now + .milliseconds(5))
        #expect(!gate.isOpen)
        gate.follow(isOpen: true, asOf: now + .milliseconds(11))
        #expect(gate.isOpen)
        // It counts from the beginning again.
        for _ in 0..<2 { _ = gate.note(Self.failure, isProbe: false) }
        #expect(gate.isOpen)
    }

    @Test(
        "the tenth mismatch keeps its device and pauses; after a resume the next one pauses again")
    func mismatches() {
        let mismatch = ProviderOutcome.unregistered(
            ProviderWord(status: 400, reason: "BadDeviceToken"), device: .delete)
        var gate = ProviderGate()
        for _ in 0..<9 {
            let ruling = gate.note(mismatch, isProbe: false)
            #expect(ruling.outcome == mismatch && ruling.edge == nil)
        }
        let tenth = gate.note(mismatch, isProbe: false)
        #expect(tenth.outcome == mismatch.keepingDevice)
        #expect(tenth.edge == .pauses(reason: "device_mismatch"))
        #expect(!tenth.goesBack)
        #expect(gate.note(mismatch, isProbe: false).goesBack)
        gate.edgeWasWritten(at: now)
        gate.follow(isOpen: true, asOf: now + .seconds(1))
        let again = gate.note(mismatch, isProbe: false)
        #expect(again.edge == .pauses(reason: "device_mismatch"))
        #expect(again.outcome == mismatch.keepingDevice)
    }
}
