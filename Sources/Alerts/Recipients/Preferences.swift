public import Values

/// What one member set for one store.
public struct Preferences: Sendable, Equatable {
    /// Whether anything was ever saved.
    public var isSaved: Bool
    /// Off silences the store whole, required kinds included.
    public var isEnabled: Bool
    /// On or off by the kind's name. A kind without an entry follows the default: nothing was said
    /// about it, since it did not exist or could not be seen when they saved.
    public var kinds: [String: Bool]
    /// Orders below are not worth an alert, by currency.
    public var minimums: [String: Amount]
    /// Where these were not looked up, none: see who made the value.
    public var mutes: [Mute]

    /// Without arguments: those of somebody who never saved.
    public init(
        isSaved: Bool = false, isEnabled: Bool = true, kinds: [String: Bool] = [:],
        minimums: [String: Amount] = [:], mutes: [Mute] = []
    ) {
        self.isSaved = isSaved
        self.isEnabled = isEnabled
        self.kinds = kinds
        self.minimums = minimums
        self.mutes = mutes
    }

    /// Whether a kind is on: required, switched on, or on by default.
    public func wants(_ kind: AlertKind, under policy: PushPolicy) -> Bool {
        policy.requires(kind) || kinds[kind.name] ?? policy.isOnByDefault(kind)
    }

    /// Whether a subject is muted at a moment.
    public func isMuted(_ subject: MuteSubject, _ id: String, at time: Timestamp) -> Bool {
        mutes.contains { mute in
            mute.subject == subject && mute.id == id && mute.until.map { $0 > time } ?? true
        }
    }
}

/// What can be muted. An open list.
public struct MuteSubject: RawRepresentable, Hashable, Sendable {
    /// As it stands in paths, bodies and the database.
    public let rawValue: String

    /// Takes any text; one that no kind filters by holds nothing back.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// By the platform's id of it, as the next ones.
    public static let conversation = MuteSubject(rawValue: "conversation")
    /// At every location.
    public static let variant = MuteSubject(rawValue: "variant")
    /// Their orders and their conversations.
    public static let customer = MuteSubject(rawValue: "customer")

    /// In the order in which they are documented.
    public static let all = [conversation, variant, customer]
}

/// One muted subject.
public struct Mute: Sendable, Equatable {
    public let subject: MuteSubject
    /// The platform's id of it.
    public let id: String
    /// The first moment at which it is heard again; nil: for ever.
    public let until: Timestamp?

    public init(subject: MuteSubject, id: String, until: Timestamp?) {
        self.subject = subject
        self.id = id
        self.until = until
    }
}

/// What a store lays down for its members.
public struct PushPolicy: Sendable, Equatable {
    /// The kinds that are on until a member saves; nil: as each kind declares.
    public var defaults: Set<String>?
    /// Kinds that members cannot switch off.
    public var required: Set<String>

    /// Without arguments: that of a store that lays nothing down.
    public init(defaults: Set<String>? = nil, required: Set<String> = []) {
        self.defaults = defaults
        self.required = required
    }

    /// Whether members cannot switch the kind off.
    public func requires(_ kind: AlertKind) -> Bool { required.contains(kind.name) }

    /// Whether the kind is on for members who said nothing about it.
    public func isOnByDefault(_ kind: AlertKind) -> Bool {
        defaults.map { $0.contains(kind.name) } ?? kind.isOnByDefault
    }
}
