extension Reason {
    /// The reason as the end of a sentence about one person: "Ana was not alerted: …".
    public var words: String {
        switch self {
        case .notified: "every question was answered yes"
        case .notAMember: "not an active member of the store"
        case .noPermission: "does not hold the permission that this kind needs"
        case .assignedToAnother: "the conversation is assigned to somebody else"
        case .ownAction: "did it themselves"
        case .storeDisabled: "switched the store off"
        case .kindDisabled: "has this kind switched off"
        case .belowMinimum: "set a higher minimum amount"
        case .muted: "muted what it is about"
        case .noDevice: "has no device that could carry it"
        case .sessionExpired: "the session of the device has ended"
        case .providerNotConfigured: "the provider of the device has no credentials here"
        default: rawValue
        }
    }
}
