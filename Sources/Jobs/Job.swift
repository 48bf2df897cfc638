public import Values

public enum JobSubject {}
/// A job's id: it stays the same through every attempt, the dead letter and its retry.
public typealias JobID = ID<JobSubject>

public enum LeaseSubject {}
/// What a claim stamps on the jobs it takes. Every write-back names it, so that a worker that was
/// taken for dead cannot overwrite the result of the one that took over.
public typealias LeaseID = ID<LeaseSubject>

/// The number of a lane: kind, credential with its environment, and urgency (table `sineta.lanes`).
public struct LaneID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let number: Int32

    public init(_ number: Int32) {
        self.number = number
    }

    /// Where jobs that were inserted by plain SQL arrive. Every worker sorts it.
    public static let intake = LaneID(0)

    public static func < (left: LaneID, right: LaneID) -> Bool { left.number < right.number }

    public var description: String { "\(number)" }
}

/// A job to be added, inside the transaction of what it follows from.
///
/// `subject`, `target` and `member` are the arguments of most jobs (typed columns cost half of what
/// JSON does); `args` holds whatever else a kind needs, as encoded JSON.
public struct NewJob: Sendable {
    public var id: JobID
    public var lane: LaneID
    public var kind: String
    public var store: StoreID
    public var subject: UUID?
    public var target: UUID?
    public var member: UUID?
    /// The server's time at which the cause came in; never an event's own time.
    public var raisedAt: Timestamp
    /// The last moment at which its work may start; nil for no limit.
    public var expiresAt: Timestamp?
    public var args: [UInt8]?

    public init(
        id: JobID = JobID(.v7()), lane: LaneID, kind: String, store: StoreID, subject: UUID? = nil,
        target: UUID? = nil, member: UUID? = nil, raisedAt: Timestamp, expiresAt: Timestamp? = nil,
        args: [UInt8]? = nil
    ) {
        self.id = id
        self.lane = lane
        self.kind = kind
        self.store = store
        self.subject = subject
        self.target = target
        self.member = member
        self.raisedAt = raisedAt
        self.expiresAt = expiresAt
        self.args = args
    }
}

/// A job that this process holds under a lease.
public struct ClaimedJob: Sendable {
    public let id: JobID
    public let lease: LeaseID
    public let lane: LaneID
    public let kind: String
    public let store: StoreID
    public let subject: UUID?
    public let target: UUID?
    public let member: UUID?
    public let raisedAt: Timestamp
    public let createdAt: Timestamp
    public let expiresAt: Timestamp?
    /// Attempts that ended with an answer that counts, before this one.
    public let attempts: Int
    /// Leases that ran out: workers that died or stalled with it.
    public let losses: Int
    /// Encoded JSON, or nil.
    public let args: [UInt8]?
    /// The attempts that `attempts` counts, in their order.
    public let tries: [Attempt]

    /// From so many losses on a job may be what its workers die of. `jobs_suspects` and the claims
    /// carry the same number.
    static let suspectLosses = 2

    /// Whether no other suspect may be in hand beside it: when it is what they die of, those that
    /// are claimed with it again and again would be buried with it.
    package var isSuspect: Bool { losses >= Self.suspectLosses }

    public init(
        id: JobID, lease: LeaseID, lane: LaneID, kind: String, store: StoreID, subject: UUID?,
        target: UUID?, member: UUID?, raisedAt: Timestamp, createdAt: Timestamp,
        expiresAt: Timestamp?, attempts: Int, losses: Int, args: [UInt8]?, tries: [Attempt] = []
    ) {
        self.id = id
        self.lease = lease
        self.lane = lane
        self.kind = kind
        self.store = store
        self.subject = subject
        self.target = target
        self.member = member
        self.raisedAt = raisedAt
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.attempts = attempts
        self.losses = losses
        self.args = args
        self.tries = tries
    }
}
