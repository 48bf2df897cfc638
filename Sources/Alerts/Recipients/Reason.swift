/// Why somebody is alerted or not. An open list, the words of the API.
public struct Reason: RawRepresentable, Hashable, Sendable {
    /// As it stands in answers and in kept decisions.
    public let rawValue: String

    /// Takes any text, so that a kept decision of another version still reads.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The reasons of today, each that of the step that says no; `notified` is that of a yes.
    public static let notified = Reason(rawValue: "notified")
    /// Step 1: they are no active member; an invited person who never came is none.
    public static let notAMember = Reason(rawValue: "not_a_member")
    /// Step 2: by role and by grant they lack what the kind asks for.
    public static let noPermission = Reason(rawValue: "no_permission")
    /// Step 3: somebody else has the conversation, and still may; or an assignment did not name
    /// them, or no longer holds.
    public static let assignedToAnother = Reason(rawValue: "assigned_to_another")
    /// Step 4, for kinds that leave out whoever did it.
    public static let ownAction = Reason(rawValue: "own_action")
    /// Step 5: they switched the store off; required kinds are silent too.
    public static let storeDisabled = Reason(rawValue: "store_disabled")
    /// Step 6: switched off, or not on by default; never of a required kind.
    public static let kindDisabled = Reason(rawValue: "kind_disabled")
    /// Step 7: the order's total is below their minimum for its currency; equal passes.
    public static let belowMinimum = Reason(rawValue: "below_minimum")
    /// Step 7: what it is about is muted at the time of the facts.
    public static let muted = Reason(rawValue: "muted")
    /// Step 8: not one device of a transport that the kind names.
    public static let noDevice = Reason(rawValue: "no_device")
    /// Step 9: the device's session has ended. Of a person: no device came further.
    public static let sessionExpired = Reason(rawValue: "session_expired")
    /// Step 10: no credentials for the device's provider and environment. Of a person: no device
    /// says yes, and one came so far.
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

    /// Takes any text, so that a kept decision of another version still reads.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// With sound and banner, at once.
    public static let loudNow = Manner(rawValue: "loud_now")
}

/// The answer to "is this alert for them?".
public enum Verdict: Sendable, Equatable {
    /// Its reason is `notified`.
    case yes(Manner)
    /// With the reason of the first step that says no.
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
