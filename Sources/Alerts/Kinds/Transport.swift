/// Which provider carries a push to a device. An open list.
public struct Transport: RawRepresentable, Hashable, Sendable {
    /// As the API and the database spell it.
    public let rawValue: String

    /// Takes any text: no kind names a transport that is unknown, so that nothing goes out by it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Apple Push Notification service. The raw value names the provider everywhere.
    public static let apns = Transport(rawValue: "apns")
    /// Firebase Cloud Messaging.
    public static let fcm = Transport(rawValue: "fcm")
}
