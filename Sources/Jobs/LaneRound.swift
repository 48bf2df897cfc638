/// How the free slots of one round are shared among lanes, as a pure function.
public enum LaneRound {
    /// A lane as the round sees it: lower ranks go first.
    public struct Lane: Sendable, Equatable {
        public let id: LaneID
        public let urgency: Int
        /// The most that it can take now.
        public let room: Int
        /// True when its last claim took all that it might: more is waiting.
        public let isHungry: Bool

        public init(id: LaneID, urgency: Int, room: Int, isHungry: Bool) {
            self.id = id
            self.urgency = urgency
            self.room = room
            self.isHungry = isHungry
        }
    }

    /// From this rank on a lane is bulk.
    public static let bulkUrgency = 50

    /// The most that each lane may claim, together at most `slots`.
    ///
    /// Urgent lanes go first by rank; bulk lanes together keep a tenth (at least one slot), so that
    /// no flood of urgent work starves them. An urgent lane that came back short the last time
    /// keeps only a quarter while bulk work is waiting; what a lane does not use is offered again
    /// next round, which follows at once.
    ///
    /// - Parameter turn: counts rounds; of single slots every tenth goes to bulk.
    public static func quotas(of lanes: [Lane], slots: Int, turn: Int = 1) -> [LaneID: Int] {
        guard slots > 0 else { return [:] }
        let sorted = lanes.filter { $0.room > 0 }.sorted {
            ($0.urgency, $0.id) < ($1.urgency, $1.id)
        }
        let bulk = sorted.filter { $0.urgency >= bulkUrgency }
        let bulkWaits = bulk.contains(where: \.isHungry)
        let urgent = sorted.filter { $0.urgency < bulkUrgency }.map { lane in
            guard bulkWaits, !lane.isHungry else { return lane }
            let room = min(lane.room, max(1, slots / 4))
            return Lane(id: lane.id, urgency: lane.urgency, room: room, isHungry: false)
        }
        let tenth = slots > 1 ? max(1, slots / 10) : (turn % 10 == 0 ? 1 : 0)
        let reserved = bulk.isEmpty || urgent.isEmpty ? 0 : tenth
        var quotas: [LaneID: Int] = [:]
        var left = share(slots - reserved, among: urgent, into: &quotas)
        left = share(left + reserved, among: bulk, into: &quotas)
        return quotas
    }

    /// Equal parts for lanes of one rank; what one cannot use goes to the others.
    private static func share(
        _ slots: Int, among lanes: [Lane], into quotas: inout [LaneID: Int]
    ) -> Int {
        var left = slots
        for (index, lane) in lanes.enumerated() where left > 0 {
            let peers = lanes[index...].prefix { $0.urgency == lane.urgency }.count
            let part = min(lane.room, (left + peers - 1) / peers)
            quotas[lane.id] = part
            left -= part
        }
        return left
    }
}
