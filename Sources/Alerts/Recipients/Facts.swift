public import Values

/// What must be known to decide one alert for some of its audience.
public struct AudienceFacts: Sendable {
    /// When the facts held: mutes end by it.
    public var at: Timestamp
    /// What the store requires and has on by default.
    public var policy: PushPolicy
    /// To whom the alert's conversation is assigned now; nil: to nobody, or no conversation.
    public var assignee: AssigneeFacts?
    /// Decisions come in this order.
    public var members: [MemberFacts]

    public init(
        at: Timestamp, policy: PushPolicy = PushPolicy(), assignee: AssigneeFacts? = nil,
        members: [MemberFacts] = []
    ) {
        self.at = at
        self.policy = policy
        self.assignee = assignee
        self.members = members
    }
}

/// Somebody to whom a conversation is assigned, who need not be in the same chunk of members.
public struct AssigneeFacts: Sendable, Equatable {
    public var user: UserID
    /// Invited people who never came are none.
    public var isActiveMember: Bool
    /// What holds by role and by grant. Without what the kind asks for they count as nobody.
    public var permissions: Set<Permission>

    public init(user: UserID, isActiveMember: Bool = true, permissions: Set<Permission>) {
        self.user = user
        self.isActiveMember = isActiveMember
        self.permissions = permissions
    }
}

/// One person of the audience.
public struct MemberFacts: Sendable {
    public var user: UserID
    /// Invited people who never came are none.
    public var isActiveMember: Bool
    /// What holds by role and by grant.
    public var permissions: Set<Permission>
    /// With the mutes that may matter to this alert.
    public var preferences: Preferences
    /// In the order in which they registered.
    public var devices: [DeviceFacts]

    public init(
        user: UserID, isActiveMember: Bool = true, permissions: Set<Permission>,
        preferences: Preferences = Preferences(), devices: [DeviceFacts] = []
    ) {
        self.user = user
        self.isActiveMember = isActiveMember
        self.permissions = permissions
        self.preferences = preferences
        self.devices = devices
    }
}

/// One registered device.
public struct DeviceFacts: Sendable, Equatable {
    public var id: DeviceID
    /// A kind that does not name it passes the device over.
    public var transport: Transport
    /// Neither ended nor expired.
    public var hasLiveSession: Bool
    /// Whether its provider has credentials for its environment.
    public var isProviderConfigured: Bool

    public init(
        id: DeviceID, transport: Transport, hasLiveSession: Bool = true,
        isProviderConfigured: Bool = true
    ) {
        self.id = id
        self.transport = transport
        self.hasLiveSession = hasLiveSession
        self.isProviderConfigured = isProviderConfigured
    }
}

/// What is asked again when one push is about to be sent.
public struct PushFacts: Sendable {
    /// When the facts held.
    public var at: Timestamp
    /// As for the audience, and as it is now.
    public var policy: PushPolicy
    /// To whom the conversation is assigned now.
    public var assignee: AssigneeFacts?
    /// The person for whom the push was decided, with the push's own device if it is still theirs.
    /// Nil: the person is gone.
    public var member: MemberFacts?
    /// The device of the push.
    public var device: DeviceID

    public init(
        at: Timestamp, policy: PushPolicy = PushPolicy(), assignee: AssigneeFacts? = nil,
        member: MemberFacts?, device: DeviceID
    ) {
        self.at = at
        self.policy = policy
        self.assignee = assignee
        self.member = member
        self.device = device
    }
}
