import Alerts
import Jobs
import Testing
import Values

@testable import Storage
@testable import sineta

@Suite("sineta explain") struct ExplanationTests {
    private static let ana = UserID(UUID(high: 0x0199_0000_0000_7000, low: 1 << 63))
    private static let bia = UserID(UUID(high: 0x0199_0000_0000_7000, low: 1 << 63 | 1))
    private static let gone = UserID(UUID(high: 0x0199_0000_0000_7000, low: 1 << 63 | 2))
    private static let phone = DeviceID(UUID(high: 0x0199_1111_0000_7000, low: 1 << 63))
    private static let tablet = DeviceID(UUID(high: 0x0199_1111_0000_7000, low: 1 << 63 | 1))
    private static let push = PushID(UUID(high: 0x0199_2222_0000_7000, low: 1 << 63))
    private static let lane = LaneID(10)
    /// 2026-10-28T09:14:03Z.
    private static let time = Timestamp(microseconds: 1_793_178_843_000_000)

    private func lines(
        _ decisions: [MemberDecision], state: PushState? = nil, isDecided: Bool = true,
        isUnheard: Bool? = nil, closed: LaneState? = nil
    ) -> [String] {
        let record = AlertRecord(
            alert: nil, id: AlertID(Self.push.uuid), kind: "orders.paid",
            externalID: "order-1042-paid", eventType: "orders.paid", occurredAt: Self.time,
            receivedAt: Self.time, decidedAt: isDecided ? Self.time + .seconds(1) : nil,
            isUnheard: isUnheard ?? (isDecided && !decisions.contains { $0.verdict.isYes }),
            decisions: decisions)
        return Explanation(
            record, store: "Loja Azul", names: [Self.ana: "Ana", Self.bia: "Bia"],
            states: state.map { [$0.push: $0] } ?? [:],
            closed: closed.map { [Self.lane: $0] } ?? [:]
        ).lines
    }

    private func notified(_ more: DeviceDecision...) -> MemberDecision {
        let device = DeviceDecision(
            device: Self.phone, transport: .apns, verdict: .yes(.loudNow), push: Self.push)
        return MemberDecision(
            user: Self.ana, verdict: .yes(.loudNow), isInInbox: true, devices: [device] + more)
    }

    private func state(
        _ state: DeliveryState, reason: String? = nil, next: Timestamp? = nil,
        _ attempts: PushState.Attempt..., losses: Int = 0, isDeadLetter: Bool = false
    ) -> PushState {
        PushState(
            push: Self.push, state: state, reason: reason, attempts: attempts,
            nextAttemptAt: next, lane: Self.lane, losses: losses, isDeadLetter: isDeadLetter)
    }

    private func closed(_ word: LaneState.Word, reason: String, probe: Timestamp?) -> LaneState {
        LaneState(
            credential: Credential(name: "apns", environment: "production"), word: word,
            since: Self.time, reason: reason, nextProbeAt: probe)
    }

    @Test("tells what happened and that nothing is decided yet")
    func undecided() {
        #expect(
            lines([], isDecided: false) == [
                "orders.paid of Loja Azul: event order-1042-paid happened at 2026-10-28T09:14:03Z "
                    + "and came in at 2026-10-28T09:14:03Z; it is not decided yet."
            ])
    }

    @Test("has a sentence for each person, with the reason of a no")
    func people() {
        let found = lines([
            MemberDecision(
                user: Self.bia, verdict: .no(.belowMinimum), filter: "minimum BRL 100.00",
                isInInbox: false),
            MemberDecision(user: Self.gone, verdict: .no(.notAMember), isInInbox: false),
        ])
        #expect(found.first?.hasSuffix("decided at 2026-10-28T09:14:04Z, for nobody.") == true)
        #expect(
            Array(found.dropFirst()) == [
                "Bia was not alerted: set a higher minimum amount (minimum BRL 100.00).",
                "Somebody who left (\(Self.gone)) was not alerted: not an active member of the "
                    + "store.",
            ])
    }

    @Test("tells of each push how it stands and what the provider said")
    func pushes() {
        let refused = PushState.Attempt(
            at: "2026-10-28T09:14:05Z", status: 503, reason: "ServiceUnavailable",
            providerMessageID: nil)
        let accepted = PushState.Attempt(
            at: "2026-10-28T09:14:09Z", status: 200, reason: nil, providerMessageID: "0199abcd")
        let expired = DeviceDecision(
            device: Self.tablet, transport: .fcm, verdict: .no(.sessionExpired))
        #expect(
            lines([notified(expired)], state: state(.accepted, refused, accepted))[1]
                == "Ana was alerted: the apns device \(Self.phone) was accepted by its provider "
                + "(2026-10-28T09:14:05Z 503 ServiceUnavailable, "
                + "2026-10-28T09:14:09Z 200 as 0199abcd); the fcm device \(Self.tablet) got "
                + "nothing, the session of the device has ended.")
        let next = Self.time + .seconds(8)
        #expect(
            lines([notified()], state: state(.waiting, next: next, refused))[1]
                .contains("waits until 2026-10-28T09:14:11Z (2026-10-28T09:14:05Z 503"))
        #expect(
            lines([notified()], state: state(.suppressed, reason: "kind_disabled"))[1]
                .hasSuffix("when it was to be sent, has this kind switched off."))
        #expect(lines([notified()])[1].contains("is no longer kept"))
    }

    @Test("a push in a closed lane waits for the lane: it says why it is closed and what opens it")
    func closedLanes() {
        let probe = Self.time + .seconds(60)
        let paused = closed(.paused, reason: "InvalidProviderToken", probe: probe)
        #expect(
            lines([notified()], state: state(.waiting), closed: paused)[1]
                == "Ana is being alerted: the apns device \(Self.phone) waits, because "
                + "apns.production has been paused since 2026-10-28T09:14:03Z (InvalidProviderToken); "
                + "it is tried again at 2026-10-28T09:15:03Z.")
        let broken = closed(.broken, reason: "Shutdown", probe: probe)
        #expect(
            lines([notified()], state: state(.waiting, next: probe), closed: broken)[1]
                .hasSuffix(
                    "waits until 2026-10-28T09:15:03Z at least, because apns.production has been "
                        + "failing since 2026-10-28T09:14:03Z (Shutdown); it is tried again at "
                        + "2026-10-28T09:15:03Z."))
        let off = closed(.off, reason: "no_credentials", probe: nil)
        #expect(
            lines([notified()], state: state(.waiting), closed: off)[1]
                .hasSuffix(
                    "waits, because apns.production has had no credentials since "
                        + "2026-10-28T09:14:03Z (no_credentials)."))
        #expect(lines([notified()], state: state(.waiting))[1].hasSuffix("waits for its turn."))
    }

    @Test(
        "nobody was alerted of whose pushes none was accepted",
        arguments: [DeliveryState.rejected, .expired, .suppressed, .dead])
    func unheard(ended: DeliveryState) {
        let found = lines([notified()], state: state(ended, reason: "x"), isUnheard: true)
        #expect(found[0].hasSuffix("decided at 2026-10-28T09:14:04Z, and has reached nobody."))
        #expect(found[1].hasPrefix("Ana was to be alerted, and no push has reached them: "))
        #expect(lines([notified()])[1].hasPrefix("Ana was to be alerted: what became"))
        #expect(lines([notified()], state: state(.sending))[1].hasPrefix("Ana is being alerted:"))
    }

    @Test("a dead letter that waits for an operator is told from one that was discarded")
    func deadLetters() {
        let waiting = state(.dead, reason: "BadTopic", isDeadLetter: true)
        #expect(
            lines([notified()], state: waiting)[1]
                .hasSuffix("waits among the dead letters for an operator: BadTopic."))
        #expect(
            lines([notified()], state: state(.dead, reason: "BadTopic"))[1]
                .hasSuffix("nothing more is tried, since an operator discarded it: BadTopic."))
    }

    @Test("a push that expired says whether it could not start, or was not to be tried in time")
    func expired() {
        var asked = PushState.Attempt(
            at: "2026-10-28T09:14:05Z", status: 429, reason: "TooManyRequests",
            providerMessageID: nil)
        let backoff = state(.expired, reason: "TooManyRequests", asked)
        #expect(
            lines([notified()], state: backoff)[1]
                .contains("got nothing, since its time was over before another try was due (2026"))
        asked.retryAfter = 7200
        let told = state(.expired, reason: "TooManyRequests", asked)
        #expect(
            lines([notified()], state: told)[1]
                .contains(
                    "got nothing, since its provider asked to wait 7200 s, and its time was over "
                        + "before that (2026-10-28T09:14:05Z 429 TooManyRequests)."))
        #expect(
            lines([notified()], state: state(.expired, reason: "expired"))[1]
                .hasSuffix("got nothing, since its time was over."))
    }

    @Test("a try that was lost with its worker is told of")
    func losses() {
        #expect(
            lines([notified()], state: state(.waiting, losses: 1))[1]
                .hasSuffix("waits for its turn (one try was lost with its worker)."))
        let accepted = PushState.Attempt(
            at: "2026-10-28T09:14:09Z", status: 200, reason: nil, providerMessageID: "0199abcd")
        #expect(
            lines([notified()], state: state(.accepted, accepted, losses: 2))[1]
                .hasSuffix(
                    "(2026-10-28T09:14:09Z 200 as 0199abcd, 2 tries were lost with their workers)."
                ))
    }
}
