/// Which provider carries a push to a device. An open list.
public struct Transport: RawRepresentable, Hashable, Sendable {
    /// As the API and the database spell it.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Apple's and Google's; the raw value names the provider everywhere.
    public static let apns = Transport(rawValue: "apns")
    public static let fcm = Transport(rawValue: "fcm")
}
