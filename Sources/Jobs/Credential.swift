public import Values

/// What a lane's work is done with: a provider's credential in one environment. Pauses and breakers
/// hold for all lanes of one. Both parts are empty for lanes that need none.
public struct Credential: Hashable, Sendable, CustomStringConvertible {
    public let name: String
    public let environment: String

    public init(name: String, environment: String = "") {
        self.name = name
        self.environment = environment
    }

    public var description: String {
        environment.isEmpty ? name : "\(name).\(environment)"
    }
}

/// A row of `sineta.lanes`.
public struct Lane: Sendable, Hashable {
    public let id: LaneID
    public let kind: String
    public let credential: Credential
    /// Lower goes first; from `LaneRound.bulkUrgency` on it is bulk.
    public let urgency: Int

    public init(id: LaneID, kind: String, credential: Credential, urgency: Int) {
        self.id = id
        self.kind = kind
        self.credential = credential
        self.urgency = urgency
    }

    /// For people: `push.deliver/apns.production/urgent`, `alerts.decide/bulk`, `intake`.
    public var name: String {
        if id == .intake { return "intake" }
        let parts = [
            kind, "\(credential)", urgency < LaneRound.bulkUrgency ? "urgent" : "bulk",
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "/")
    }
}

/// How a credential stands, for all workers.
public struct LaneState: Sendable, Equatable {
    public enum Word: String, Sendable {
        case open
        /// Credentials were refused: only the doctor's probe goes out.
        case paused
        /// The provider does not answer: one job at a time goes out as a probe.
        case broken
        /// No worker has this credential.
        case off
    }

    public let credential: Credential
    public let word: Word
    public let since: Timestamp
    public let reason: String?
    public let nextProbeAt: Timestamp?

    public init(
        credential: Credential, word: Word, since: Timestamp, reason: String?,
        nextProbeAt: Timestamp?
    ) {
        self.credential = credential
        self.word = word
        self.since = since
        self.reason = reason
        self.nextProbeAt = nextProbeAt
    }
}
