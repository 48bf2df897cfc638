import Alerts
import Jobs
import Push
import Runtime
import Testing
import Values
import Worker

/// A provider that answers as it is told and remembers what it was sent.
final class ScriptedSender: PushSending {
    struct Arrival: Sendable {
        let push: OutgoingPush
        let token: String
        let at: ContinuousClock.Instant
        /// Which request for this push it was, from 1.
        let attempt: Int
    }

    /// What to answer; nil holds the answer until `release`.
    typealias Script = @Sendable (Arrival) -> ProviderOutcome?

    private struct State {
        var arrivals: [Arrival] = []
        var probes = 0
        var script: Script
        var probe = ProbeResult.accepted
        var held: [@Sendable (ProviderOutcome) -> Void] = []
        /// Waits of pushes that find no stream in time.
        var stalled: [@Sendable () -> Void] = []
        var stalls = 0
        var startBys: [Deadline] = []
    }

    private let state: Lock<State>
    private let bell = JobBell()
    private let streams: Lock<Int>

    init(freeStreams: Int = 1000, _ script: @escaping Script = { _ in accepted }) {
        state = Lock(State(script: script))
        streams = Lock(freeStreams)
    }

    static let accepted = ProviderOutcome.accepted(messageID: "provider-id")
    static let unavailable = ProviderOutcome.retry(
        ProviderWord(status: 503, reason: "ServiceUnavailable"), notBefore: nil)
    static let badKey = ProviderOutcome.credentialsRefused(
        ProviderWord(status: 403, reason: "InvalidProviderToken"), remedy: nil)
    static func gone(_ reason: String) -> ProviderOutcome {
        .unregistered(ProviderWord(status: 400, reason: reason), device: .delete)
    }

    var freeStreams: Int { streams.withLock { $0 } }

    /// Takes no further push.
    func close() { streams.withLock { $0 = 0 } }

    var arrivals: [Arrival] { state.withLock { $0.arrivals } }
    var probes: Int { state.withLock { $0.probes } }

    func answer(_ script: @escaping Script) { state.withLock { $0.script = script } }
    func answerProbes(_ result: ProbeResult) { state.withLock { $0.probe = result } }

    /// The next `count` pushes wait for a stream until `giveUp`.
    func stall(_ count: Int) { state.withLock { $0.stalls = count } }

    var stalled: Int { state.withLock { $0.stalled.count } }
    /// By when each push had to start.
    var startBys: [Deadline] { state.withLock { $0.startBys } }

    /// Ends the pushes that wait, as the connections do when their time to start has passed.
    func giveUp() {
        let stalled = state.withLock { state in
            defer { state.stalled = [] }
            return state.stalled
        }
        for end in stalled { end() }
    }

    /// Gives the answers that were held.
    func release(_ outcome: ProviderOutcome = accepted) {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for answer in held { answer(outcome) }
    }

    /// Returns once what has arrived fits, or after a minute with an issue.
    func wait(until fits: ([Arrival]) -> Bool) async {
        let deadline = Deadline.after(.seconds(60))
        while !fits(arrivals) {
            if deadline.hasPassed || Task.isCancelled {
                Issue.record("what was waited for did not arrive")
                return
            }
            await bell.wait(until: .after(.milliseconds(20)))
        }
    }

    func send(
        _ pushes: [ReadyPush], deadline: Deadline, startBy: Deadline,
        completion: @escaping @Sendable (Int, PushResult) -> Void
    ) {
        for (index, ready) in pushes.enumerated() {
            let answer: @Sendable (ProviderOutcome) -> Void = { outcome in
                completion(
                    index,
                    PushResult(
                        outcome: outcome, requests: 1,
                        mayHaveArrived: true))
            }
            let isStalled = state.withLock { state in
                state.startBys.append(startBy)
                guard state.stalls > 0 else { return false }
                state.stalls -= 1
                state.stalled.append {
                    completion(
                        index,
                        PushResult(
                            outcome: .noAnswer("not_started"), requests: 1, mayHaveArrived: false,
                            hasStarted: false))
                }
                return true
            }
            if isStalled {
                bell.ring()
                continue
            }
            let outcome = state.withLock { state -> ProviderOutcome? in
                let attempt = state.arrivals.count { $0.push.id == ready.push.id } + 1
                let arrival = Arrival(
                    push: ready.push, token: ready.token.reveal(), at: .now, attempt: attempt)
                state.arrivals.append(arrival)
                let outcome = state.script(arrival)
                if outcome == nil { state.held.append(answer) }
                return outcome
            }
            bell.ring()
            if let outcome { answer(outcome) }
        }
    }

    func probe(deadline: Deadline) async -> ProbeResult {
        state.withLock { state in
            state.probes += 1
            return state.probe
        }
    }
}
