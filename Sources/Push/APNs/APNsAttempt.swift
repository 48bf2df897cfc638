import Alerts
import HTTP2
import Runtime
import Values

/// One push on its way to APNs: how it is asked, and how the answer is read.
struct APNsAttempt: Sendable {
    let push: APNsPush
    let deadline: Deadline
    /// By when it must be on its way, its repeat too; nil for no limit.
    let startBy: Deadline?
    /// A probe opens its own connection: the old ones may be bound to what was refused.
    let isProbe: Bool
    /// The connection on which the first request was refused; a repeat goes over a newer one.
    private(set) var repeatsOn: UInt64?

    init(
        push: APNsPush, deadline: Deadline, startBy: Deadline?,
        isProbe: Bool = false
    ) {
        self.startBy = startBy
        self.isProbe = isProbe
        self.push = push
        self.deadline = deadline
    }

    /// The same push once more; nil if this is that already.
    func repeated(on connection: UInt64) -> APNsAttempt? {
        guard repeatsOn == nil else { return nil }
        var next = self
        next.repeatsOn = connection
        return next
    }

    /// All but `authorization`, which is made when the request gets its stream.
    var request: HTTP2Request {
        HTTP2Request(
            path: APNsPayload.path(token: push.token.reveal()),
            headers: push.payload.headers.map {
                HTTP2Header($0.name, $0.value, isSensitive: Self.varying.contains($0.name))
            }, body: push.payload.body)
    }

    /// Other with every push: in the compression table they would only push out what repeats.
    private static let varying: Set<String> = ["apns-id", "apns-expiration", "apns-collapse-id"]

    func outcome(
        _ result: Result<HTTP2Response, HTTP2Failure>, now: Timestamp
    ) -> ProviderOutcome {
        switch result {
        case .failure(let failure): .failed(failure)
        case .success(let response):
            APNsOutcome.classify(
                status: response.status, header: { response.headers[$0] }, body: response.body,
                registeredAt: push.registeredAt, now: now)
        }
    }

    func result(
        _ outcome: ProviderOutcome, _ result: Result<HTTP2Response, HTTP2Failure>
    ) -> PushResult {
        PushResult(
            outcome, of: result, requests: repeatsOn == nil ? 1 : 2)
    }
}
