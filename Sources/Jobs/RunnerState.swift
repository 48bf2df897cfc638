/// What a runner remembers from round to round, as a value.
package struct RunnerState {
    private let lanes: [Lane]
    private var cursors: [LaneID: ClaimCursor]
    private var hungry: Set<LaneID> = []
    private var turn = 0
    /// Counts the rounds that may take a suspect.
    private var suspectTurn = 0
    private var roomlessSince: ContinuousClock.Instant?
    /// When lanes that are off may be switched on again.
    private var nextSwitch: ContinuousClock.Instant?
    /// Credentials whose lanes are not open.
    package private(set) var closed: [Credential] = []
    /// True when the next round should follow at once.
    package var hasMore = false
    /// What the last claim might take; nil when it failed.
    private(set) var room: JobRoom?
    var failed = false

    package init(lanes: [Lane]) {
        self.lanes = lanes
        cursors = Dictionary(uniqueKeysWithValues: lanes.map { ($0.id, ClaimCursor()) })
    }

    var isStretched: Bool { cursors.values.contains(where: \.isStretched) }

    /// - Parameter takesSuspect: whether one suspect may be claimed: none is in hand. The lanes
    ///   take turns in being looked at first for it.
    package mutating func requests(
        _ room: JobRoom, takesSuspect: Bool, at now: ContinuousClock.Instant
    ) -> [ClaimRequest] {
        let takesSuspect = takesSuspect && room.rest == nil
        turn += 1
        if takesSuspect { suspectTurn += 1 }
        let quotas = LaneRound.quotas(
            of: lanes.map { lane in
                LaneRound.Lane(
                    id: lane.id, urgency: lane.urgency, room: room.jobs,
                    isHungry: hungry.contains(lane.id))
            }, slots: room.jobs, turn: turn)
        return lanes.enumerated().compactMap { index, lane in
            guard let quota = quotas[lane.id], let cursor = cursors[lane.id] else { return nil }
            return ClaimRequest(
                lane: lane.id,
                bounds: room.rest == nil ? cursor.bounds(at: now) : cursor.boundsOfReady,
                quota: quota,
                suspectRank: takesSuspect ? (index + suspectTurn) % lanes.count : nil)
        }
    }

    /// How long no room is taken for what it says.
    static let patience = Duration.seconds(10)

    /// What the handler can start, or one job when that was none for long.
    package mutating func room(of room: Int, at now: ContinuousClock.Instant) -> Int {
        guard room <= 0 else {
            roomlessSince = nil
            return room
        }
        let since = roomlessSince ?? now
        guard now - since >= Self.patience else {
            roomlessSince = since
            return 0
        }
        roomlessSince = now
        return 1
    }

    /// Whether lanes that are off may be switched on now: at once, then every `interval` while any
    /// are closed.
    package mutating func switches(
        every interval: Duration, at now: ContinuousClock.Instant
    ) -> Bool {
        if closed.isEmpty { return false }
        if let nextSwitch, now < nextSwitch { return false }
        nextSwitch = now + interval
        return true
    }

    package mutating func learn(
        _ claim: Claim, of requests: [ClaimRequest], in room: JobRoom,
        at now: ContinuousClock.Instant, jitter: Double
    ) {
        self.room = room
        // A claim in a rest looks for nothing that is due, and not at all that is ready.
        let learns = room.rest == nil
        if learns { hungry = [] }
        closed = []
        for request in requests {
            guard let lane = claim.lanes[request.lane] else {
                cursors[request.lane]?.forget()
                close(request.lane)
                continue
            }
            guard learns else { continue }
            cursors[request.lane]?.learn(
                lane.answer, of: request.bounds, at: now, jitter: jitter)
            if lane.isFull { hungry.insert(request.lane) }
        }
        hasMore = learns ? !hungry.isEmpty : !claim.jobs.isEmpty
    }

    /// After an error nothing is known.
    mutating func fail() {
        for lane in lanes { cursors[lane.id]?.forget() }
        room = nil
        hungry = []
        hasMore = false
        failed = true
    }

    private mutating func close(_ id: LaneID) {
        guard let lane = lanes.first(where: { $0.id == id }) else { return }
        if !closed.contains(lane.credential) { closed.append(lane.credential) }
    }
}
