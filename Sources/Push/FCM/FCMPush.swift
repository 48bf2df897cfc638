public import Alerts

/// A push for one Android device, whose token is in the body.
public struct FCMPush: Sendable {
    public let body: [UInt8]
    /// What FCM counts of it: a token is not blamed for a message that is too large.
    public let countedBytes: Int

    public init(_ payload: FCMPayload) {
        body = payload.body
        countedBytes = payload.countedBytes
    }

    init(body: [UInt8], countedBytes: Int) {
        self.body = body
        self.countedBytes = countedBytes
    }
}
