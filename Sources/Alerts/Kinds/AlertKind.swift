/// One kind of alert, declared whole in one place: who may hear it, how it reads, how it travels.
///
/// The flow asks the declaration and knows no kind by name. Two kinds are equal when their names
/// are.
public struct AlertKind: Sendable {
    /// As it stands on the wire, in preferences and in the database.
    public let name: String
    /// What a member must hold to see it; nil: nothing.
    public var permission: Permission?
    /// Whom the question is asked of.
    public var audience: Audience = .storeMembers
    /// Whether it goes past whoever has the conversation.
    public var assignment: AssignmentRule = .none
    /// Whether whoever did it is left out.
    public var excludesActor = false
    /// What a member's own settings may hold back, in the order in which they are asked.
    public var filters: [Filter] = []
    /// Whether it is on until a member or the store's policy says otherwise.
    public var isOnByDefault = true
    /// Whether members switch it on and off.
    public var isListed = true
    /// Whether those whom it concerns find it in their inbox.
    public var isInInbox = true
    /// What is asked again right before a push goes out.
    public var askedAgain = StepSet.atSending
    /// How long after the event an alert is still worth a push.
    public var life: Duration = .seconds(3600)
    /// Which lanes its jobs wait in.
    public var urgency: Urgency = .urgent
    /// How often a push of it is tried, and how far apart.
    public var retry = RetryPolicy()
    /// The providers that may carry it.
    public var transports: [Transport] = [.apns, .fcm]
    /// How it travels and what the phone does with it.
    public var envelope = Envelope.visibleAlert
    /// The ids that travel as data keys, in this order.
    public var subjectKeys: [String] = []
    /// What replaces what on a phone; nil: nothing does.
    public var collapse: KeyRule?
    /// What stands together on an iPhone; nil: nothing.
    public var thread: KeyRule?
    /// Android's channel.
    public var channel: String?
    /// Whether the store's name and the badge travel.
    public var namesStore = true
    /// What its texts may name.
    public var arguments: [WordingArgument] = []

    /// A kind that everything but its name is still to be said of.
    public init(_ name: String) { self.name = name }

    /// Who may hear a kind at all.
    public enum Audience: Sendable, Equatable {
        /// All members of the store, each by themselves.
        case storeMembers
        /// The device that asked: a test.
        case oneDevice
    }

    /// What the assignee of the conversation has to do with it.
    public enum AssignmentRule: Sendable, Equatable {
        /// Nothing: everybody is asked alike.
        case none
        /// The assignee, or everybody while nobody is assigned.
        case assigneeOrNobody
        /// Nobody but the one to whom it was assigned.
        case newAssignee
    }

    /// What a member may set for themselves.
    public enum Filter: Sendable, Equatable {
        /// An order below the member's minimum for its currency; without one for that currency it
        /// passes.
        case minimumAmount
        /// A muted subject: `subject` names the data key that holds its id.
        case mute(MuteSubject, subject: String)
    }

    /// Which lanes carry it.
    public enum Urgency: String, Sendable {
        /// What a person waits for: goes before what is bulk.
        case urgent
        /// What may wait while urgent things go.
        case bulk
    }

    /// A key made of a prefix and an id of the alert.
    public struct KeyRule: Sendable, Equatable {
        /// What stands before the id, `stock-`.
        public let prefix: String
        /// A data key, as `order_id` or `store_id`.
        public let subject: String

        public init(_ prefix: String, _ subject: String) {
            self.prefix = prefix
            self.subject = subject
        }
    }
}

extension AlertKind: Hashable {
    public static func == (left: AlertKind, right: AlertKind) -> Bool { left.name == right.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension AlertKind: CustomStringConvertible {
    public var description: String { name }
}
