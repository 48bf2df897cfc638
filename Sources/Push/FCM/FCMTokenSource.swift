import Cryptography
import Runtime
import Values
import WebClient

/// An access token as it travels, and which one it is.
struct FCMToken: Sendable {
    /// The value of `authorization`.
    let bearer: Secret<String>
    /// Counted from 1.
    let number: Int
}

/// The one access token of a route: fetched once however many wait, kept until five minutes before
/// it ends.
final class FCMTokenSource: Sendable {
    typealias Answer = Result<FCMToken, FCMTokenFault>
    typealias Fetch = @Sendable (Deadline) async -> Result<FCMAccessToken, FCMTokenFault>

    static let margin = Duration.seconds(300)
    /// After a failed fetch everybody gets its fault for so long: a thousand waiting pushes must
    /// not become a thousand token requests.
    static let patience = Duration.seconds(1)

    private struct State {
        var token: FCMToken?
        var lastNumber = 0
        var freshUntil = Timestamp(seconds: 0)
        var endsAt = Timestamp(seconds: 0)
        var isFetching = false
        var waiters: [@Sendable (Answer) -> Void] = []
        var failure: (fault: FCMTokenFault, at: Timestamp)?
    }

    private let clock: PushClock
    private let fetch: Fetch
    private let log: Log
    private let metrics: PushMetrics
    private let state = Lock(State())

    init(
        clock: PushClock, log: Log, metrics: PushMetrics, fetch: @escaping Fetch
    ) {
        self.clock = clock
        self.log = log
        self.metrics = metrics
        self.fetch = fetch
    }

    /// Gives the token to send with: at once, on this thread, if there is one.
    ///
    /// - Parameters:
    ///   - number: the token that the provider refused with 401; another is given.
    ///   - isPatient: whether a fault of the last second is an answer too.
    ///   - deadline: bounds the fetch that this call begins; one that is under way has its own.
    func token(
        otherThan number: Int = 0, isPatient: Bool = true, deadline: Deadline,
        _ completion: @escaping @Sendable (Answer) -> Void
    ) {
        let step = state.withLock { state in next(&state, number, isPatient, completion) }
        switch step {
        case .answer(let answer): completion(answer)
        case .fetch: Task.detached { [self] in await renew(deadline) }
        case .wait: break
        }
    }

    private enum Step: Sendable {
        case answer(Answer)
        case fetch
        case wait
    }

    private func next(
        _ state: inout State, _ number: Int, _ isPatient: Bool,
        _ completion: @escaping @Sendable (Answer) -> Void
    ) -> Step {
        let now = clock.now()
        // The one that was refused is good for nobody.
        if let token = state.token, token.number <= number { state.token = nil }
        if let token = state.token, now < state.freshUntil { return .answer(.success(token)) }
        if isPatient, let failure = state.failure, isRecent(failure.at, now) {
            return .answer(usable(state, now) ?? .failure(failure.fault))
        }
        state.waiters.append(completion)
        guard !state.isFetching else { return .wait }
        state.isFetching = true
        return .fetch
    }

    private func renew(_ deadline: Deadline) async {
        let result = await fetch(deadline)
        let (waiters, answer) = state.withLock { state in
            let answer = take(result, &state)
            defer { state.waiters = [] }
            return (state.waiters, answer)
        }
        for waiter in waiters { waiter(answer) }
    }

    private func take(
        _ result: Result<FCMAccessToken, FCMTokenFault>, _ state: inout State
    ) -> Answer {
        let now = clock.now()
        state.isFetching = false
        switch result {
        case .success(let access):
            state.lastNumber += 1
            let token = FCMToken(
                bearer: Secret("Bearer \(access.text.reveal())"), number: state.lastNumber)
            state.token = token
            state.endsAt = now + access.life
            state.freshUntil = now + max(access.life - Self.margin, access.life / 2)
            state.failure = nil
            metrics.renewed("fetched")
            return .success(token)
        case .failure(let fault):
            state.failure = (fault, now)
            metrics.renewed(fault.name)
            log.warning("no access token", ["reason": "\(fault)"])
            return usable(state, now) ?? .failure(fault)
        }
    }

    /// A token in its last five minutes still carries pushes when no new one is to be had.
    private func usable(_ state: State, _ now: Timestamp) -> Answer? {
        guard let token = state.token, now < state.endsAt else { return nil }
        return .success(token)
    }

    private func isRecent(_ time: Timestamp, _ now: Timestamp) -> Bool {
        time <= now && now - time < Self.patience
    }
}

extension FCMTokenFault {
    /// Its name in metrics.
    fileprivate var name: String {
        switch self {
        case .refused: "refused"
        case .unavailable: "unavailable"
        }
    }
}
