/// Which provider carries a push to a device. An open list.
public struct Transport: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let apns = Transport(rawValue: "apns")
    public static let fcm = Transport(rawValue: "fcm")
}
