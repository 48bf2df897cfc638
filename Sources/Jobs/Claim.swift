public import Runtime
public import Values

/// What a claim asks of one lane.
public struct ClaimRequest: Sendable {
    public var lane: LaneID
    public var bounds: ClaimCursor.Bounds
    /// The most jobs to take; at most half of them (rounded up) are due ones, the rest ready ones.
    public var quota: Int
    /// Which lane is looked at first for a suspect, the lowest rank; nil to take none from this
    /// lane. Of all lanes of a claim together at most one suspect is taken.
    public var suspectRank: Int?

    public init(
        lane: LaneID, bounds: ClaimCursor.Bounds, quota: Int, suspectRank: Int? = 0
    ) {
        self.lane = lane
        self.bounds = bounds
        self.quota = quota
        self.suspectRank = suspectRank
    }
}

/// What one claim took.
public struct Claim: Sendable {
    /// How it went in one lane. A lane that is not open gives no answer.
    public struct Lane: Sendable {
        public let due: Int
        public let ready: Int
        /// 1 when the claim's one suspect is of this lane.
        public let suspects: Int
        public let answer: ClaimCursor.Answer
        /// True when it took all that it might: more may be waiting.
        public let isFull: Bool
        /// When the lane's credential was last opened, since its provider had answered somebody;
        /// nil if it was never closed.
        public let openSince: Timestamp?

        package init(
            due: Int, ready: Int, suspects: Int, answer: ClaimCursor.Answer, isFull: Bool,
            openSince: Timestamp?
        ) {
            self.due = due
            self.ready = ready
            self.suspects = suspects
            self.answer = answer
            self.isFull = isFull
            self.openSince = openSince
        }

        /// - Parameter hadNoSuspects: of all lanes of the claim together.
        package static func make(
            _ request: ClaimRequest, due: Int, ready: Int, suspects: Int, lowestTag: Int64?,
            hadNoSuspects: Bool, databaseTime: Timestamp, took: Duration, openSince: Timestamp?
        ) -> Lane {
            let dueWasFull = due > 0 && due >= (request.quota - suspects + 1) / 2
            let isFull = dueWasFull || due + ready + suspects >= request.quota
            return Lane(
                due: due, ready: ready, suspects: suspects,
                answer: ClaimCursor.Answer(
                    lowestTag: lowestTag, dueWasFull: dueWasFull,
                    hadNoSuspects: request.suspectRank != nil && hadNoSuspects,
                    databaseTime: databaseTime, took: took),
                isFull: request.quota > 0 && isFull, openSince: openSince)
        }
    }

    /// Lane by lane, in no order within one.
    public let jobs: [ClaimedJob]
    public let lanes: [LaneID: Lane]
    /// The end of the lease on this process' monotonic clock, counted from before the claim was
    /// sent, so that the database never takes back what this process still takes for its own.
    public let leaseEnds: Deadline
    public let clock: DatabaseClock

    package init(
        jobs: [ClaimedJob], lanes: [LaneID: Lane], leaseEnds: Deadline, clock: DatabaseClock
    ) {
        self.jobs = jobs
        self.lanes = lanes
        self.leaseEnds = leaseEnds
        self.clock = clock
    }

    public var isFull: Bool { lanes.values.contains(where: \.isFull) }
}

/// Where a claimed job is named: its id and the lease that it is held under.
public struct HeldJob: Sendable, Hashable {
    public let id: JobID
    public let lease: LeaseID

    public init(id: JobID, lease: LeaseID) {
        self.id = id
        self.lease = lease
    }
}

extension ClaimedJob {
    public var held: HeldJob { HeldJob(id: id, lease: lease) }
}
