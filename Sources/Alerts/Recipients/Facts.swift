public import Values

/// What must be known to decide one alert for some of its audience.
public struct AudienceFacts: Sendable {
    /// When the facts held: mutes end by it.
    public var at: Timestamp
    public var policy: PushPolicy
    /// To whom the alert's conversation is assigned now; nil: to nobody, or no conversation.
    public var assignee: AssigneeFacts?
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
    public var isActiveMember: Bool
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
    public var isActiveMember: Bool
    public var permissions: Set<Permission>
    public var preferences: Preferences
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
    public var at: Timestamp
    public var policy: PushPolicy
    public var assignee: AssigneeFacts?
    /// The person for whom the push was decided, with the push's own device if it is still theirs.
    /// Nil: the person is gone.
    public var member: MemberFacts?
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
