public import Alerts
public import Values

/// A push for one iPhone.
public struct APNsPush: Sendable {
    /// The device's token in hexadecimal. It is a secret: whoever has it and a key can ring the
    /// phone.
    public let token: Secret<String>
    public let payload: APNsPayload
    /// When the device registered last: an older 410 does not concern it.
    public let registeredAt: Timestamp

    public init(token: Secret<String>, payload: APNsPayload, registeredAt: Timestamp) {
        self.token = token
        self.payload = payload
        self.registeredAt = registeredAt
    }
}
