import Alerts
import Push
import Runtime
import Values
import Worker

/// The providers' side of a test: keeps what arrived and accepts it, or answers as it is told.
final class TestPhones: PushSending {
    private let arrived = Lock<[ReadyPush]>([])
    private let answer: @Sendable (ReadyPush) -> ProviderOutcome

    init(
        _ answer: @escaping @Sendable (ReadyPush) -> ProviderOutcome = { _ in
            .accepted(messageID: "from-the-provider")
        }
    ) {
        self.answer = answer
    }

    var pushes: [ReadyPush] { arrived.withLock { $0 } }

    var freeStreams: Int { 100 }

    func send(
        _ pushes: [ReadyPush], deadline: Deadline, startBy: Deadline,
        completion: @escaping @Sendable (Int, PushResult) -> Void
    ) {
        arrived.withLock { $0 += pushes }
        for (index, push) in pushes.enumerated() {
            completion(
                index,
                PushResult(
                    outcome: answer(push), requests: 1,
                    mayHaveArrived: true))
        }
    }

    func probe(deadline: Deadline) async -> ProbeResult { .accepted }
}
