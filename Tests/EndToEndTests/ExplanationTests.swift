import Alerts
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
    /// 2026-10-28T09:14:03Z.
    private static let time = Timestamp(microseconds: 1_793_178_843_000_000)

    private func lines(
        _ decisions: [MemberDecision], state: PushState? = nil, isDecided: Bool = true
    ) -> [String] {
        let record = AlertRecord(
            alert: nil, id: AlertID(Self.push.uuid), kind: "orders.paid",
            externalID: "order-1042-paid", eventType: "orders.paid", occurredAt: Self.time,
            receivedAt: Self.time, decidedAt: isDecided ? Self.time + .seconds(1) : nil,
            isUnheard: isDecided && !decisions.contains { $0.verdict.isYes },
            decisions: decisions)
        return Explanation(
            record, store: "Loja Azul", names: [Self.ana: "Ana", Self.bia: "Bia"],
            states: state.map { [$0.push: $0] } ?? [:]
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
        _ attempts: PushState.Attempt...
    ) -> PushState {
        PushState(
            push: Self.push, state: state, reason: reason, attempts: attempts,
            nextAttemptAt: next)
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
        #expect(
            lines([notified()], state: state(.dead, reason: "BadTopic"))[1]
                .hasSuffix("nothing more is tried: BadTopic."))
        #expect(lines([notified()])[1].contains("is no longer kept"))
    }
}
