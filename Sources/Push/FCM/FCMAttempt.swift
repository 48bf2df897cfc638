import Alerts
import HTTP2
import Runtime
import Values

/// One push on its way to FCM: how it is asked, and how the answer is read.
struct FCMAttempt: Sendable {
    let push: FCMPush
    let deadline: Deadline
    /// By when it must be on its way, its repeat too; nil for no limit.
    let startBy: Deadline?
    private(set) var isRepeat = false

    init(push: FCMPush, deadline: Deadline, startBy: Deadline?) {
        self.startBy = startBy
        self.push = push
        self.deadline = deadline
    }

    /// The same push once more; nil if this is that already.
    func repeated() -> FCMAttempt? {
        guard !isRepeat else { return nil }
        var next = self
        next.isRepeat = true
        return next
    }

    func request(_ token: FCMToken, path: String) -> HTTP2Request {
        HTTP2Request(
            path: path,
            headers: [
                HTTP2Header("authorization", token.bearer.reveal(), isSensitive: true),
                HTTP2Header("content-type", "application/json"),
            ], body: push.body)
    }

    func outcome(
        _ result: Result<HTTP2Response, HTTP2Failure>, now: Timestamp
    ) -> ProviderOutcome {
        switch result {
        case .failure(let failure): .failed(failure)
        case .success(let response):
            FCMOutcome.classify(
                status: response.status, header: { response.headers[$0] }, body: response.body,
                countedBytes: push.countedBytes, now: now)
        }
    }

    func result(
        _ outcome: ProviderOutcome, _ result: Result<HTTP2Response, HTTP2Failure>
    ) -> PushResult {
        PushResult(
            outcome, of: result, requests: isRepeat ? 2 : 1)
    }

    /// A push for which there is no access token: refused as the account is, or to be tried again.
    func result(without fault: FCMTokenFault) -> PushResult {
        let outcome: ProviderOutcome =
            switch fault {
            case .refused(let status, let reason, _):
                .credentialsRefused(
                    ProviderWord(status: status, reason: "token_\(reason)"), remedy: nil)
            case .unavailable(let status, let reason):
                .retry(ProviderWord(status: status, reason: "token_\(reason)"), notBefore: nil)
            }
        return PushResult(
            outcome: outcome, requests: isRepeat ? 1 : 0,
            mayHaveArrived: false)
    }
}
