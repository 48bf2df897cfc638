/// Why somebody is alerted or not. An open list, the words of the API.
public struct Reason: RawRepresentable, Hashable, Sendable {
    /// As it stands in answers and in kept decisions.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The reasons of today, each that of the step that says no; `notified` is that of a yes.
    public static let notified = Reason(rawValue: "notified")
    public static let notAMember = Reason(rawValue: "not_a_member")
    public static let noPermission = Reason(rawValue: "no_permission")
    public static let assignedToAnother = Reason(rawValue: "assigned_to_another")
    public static let ownAction = Reason(rawValue: "own_action")
    public static let storeDisabled = Reason(rawValue: "store_disabled")
    public static let kindDisabled = Reason(rawValue: "kind_disabled")
    public static let belowMinimum = Reason(rawValue: "below_minimum")
    public static let muted = Reason(rawValue: "muted")
    public static let noDevice = Reason(rawValue: "no_device")
    public static let sessionExpired = Reason(rawValue: "session_expired")
    public static let providerNotConfigured = Reason(rawValue: "provider_not_configured")

    /// Every reason of today, in the order of the steps.
    public static let all = [
        notified, notAMember, noPermission, assignedToAnother, ownAction, storeDisabled,
        kindDisabled, belowMinimum, muted, noDevice, sessionExpired, providerNotConfigured,
    ]
}

/// How a yes is carried out.
public struct Manner: RawRepresentable, Hashable, Sendable {
    /// As it stands in kept decisions.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// With sound and banner, at once.
    public static let loudNow = Manner(rawValue: "loud_now")
}

/// The answer to "is this alert for them?".
public enum Verdict: Sendable, Equatable {
    case yes(Manner)
    case no(Reason)

    /// Whether somebody is to hear it, in whatever manner.
    public var isYes: Bool {
        if case .yes = self { true } else { false }
    }

    /// The reason for the yes or the no.
    public var reason: Reason {
        switch self {
        case .yes: .notified
        case .no(let reason): reason
        }
    }
}
